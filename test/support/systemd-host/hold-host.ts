// Boots a host and keeps it until it is killed: what a test does that never comes to its end.
// hold-host.ts TREE: says the address of this machine on the host's network once the operator can log in.
import { makeSystemdHost } from './systemd-host.ts'

const host = await makeSystemdHost({ tree: process.argv[2] ?? '', programs: {} })
console.log(host.gateway)
setInterval(() => undefined, 60_000)
