// What an operator gets in by: homes, keys and sshd's files, which a pod may have mounted below the kubelet's directories.
import assert from 'node:assert/strict'
import type { MachineState } from '../../../lib/proof/ports.ts'
import type { SystemdHost } from './systemd-host.ts'

const own = /^\/(home|root|etc\/ssh)(\/|$)/
const mounted = ['/home', '/root/.ssh', '/etc/ssh']
const pod = '/var/lib/kubelet/pods/35a0c0de'
const places = mounted.map((folder) => [folder, `${pod}/volumes/host${folder}`] as const)

/** `now` was read over a fresh login, which is the better half of the proof. */
export function assertWayInIsAsBefore(before: MachineState, now: MachineState): void {
  const wayIn = ({ files }: MachineState): unknown => [...files].filter(([path]) => own.test(path))
  assert.deepEqual(wayIn(now), wayIn(before))
  assert.equal(now.files.get('/home/ops/.ssh/authorized_keys')?.owner, 'ops:ops')
  assert.equal(now.files.get('/root/.ssh/authorized_keys')?.owner, 'root:root')
  assert.equal(now.files.get('/etc/ssh/ssh_host_ed25519_key')?.mode, 0o600)
}

/** As a pod does that mounts the host's folders. What is returned undoes what is still there of it. */
export async function bindWayIn(host: SystemdHost): Promise<() => Promise<void>> {
  const binds = places.map(([folder, place]) => `mkdir -pv ${place}; mount --bind ${folder} ${place}`)
  const made = await must(host, binds)
  const unbinds = places.map(([, place]) => `! mountpoint -q ${place} || umount ${place}`)
  const folders = [...made.matchAll(/created directory '(.+)'/g)].map(([, folder]) => folder ?? '')
  const removals = folders.toReversed().map((folder) => `[[ ! -d ${folder} ]] || rmdir ${folder}`)
  return async () => {
    await must(host, [...unbinds, ...removals])
  }
}

async function must(host: SystemdHost, lines: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await host.sudo(`set -e\n${lines.join('\n')}\n`)
  assert.equal(exitCode, 0, stderr)
  return stdout
}
