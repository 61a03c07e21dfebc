// The directory that is a demo host's file system, and what is on it before anybody logs in.
import { randomUUID } from 'node:crypto'
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { wholeUnits } from '../../../lib/api/quantity.ts'

export interface MachineSpec {
  readonly cpu: number
  /** A Kubernetes quantity, e.g. 4Gi. */
  readonly memory: string
  /** Between heartbeats of the kubelet. Default 2 000. */
  readonly heartbeatMs?: number
  /** Between registration and Ready. Default 0. */
  readonly readyAfterMs?: number
}

const image = fileURLToPath(new URL('image/bin', import.meta.url))
const kubelet = fileURLToPath(new URL('kubelet/main.ts', import.meta.url))

export async function makeSandbox(root: string, spec: MachineSpec): Promise<void> {
  const folders = [
    'etc/demo',
    'etc/kubernetes',
    'etc/systemd/system',
    'opt/demo/bin',
    'proc/sys/kernel/random',
    'root',
    'run',
    'tmp',
    'usr/local/bin',
    'var/lib',
    'var/log/demo',
  ]
  await Promise.all(folders.map((folder) => mkdir(`${root}/${folder}`, { recursive: true })))
  await cp(image, `${root}/opt/demo/bin`, { recursive: true })
  const memoryKiB = String(wholeUnits(spec.memory) / 1024n)
  const machine = {
    cpu: String(spec.cpu),
    memory: spec.memory,
    heartbeatMs: spec.heartbeatMs ?? 2000,
    readyAfterMs: spec.readyAfterMs ?? 0,
  }
  await writeFile(`${root}/etc/demo/machine.json`, JSON.stringify(machine))
  await writeFile(`${root}/etc/demo/cpus`, `${String(spec.cpu)}\n`)
  await writeFile(`${root}/proc/meminfo`, `MemTotal:       ${memoryKiB} kB\n`)
  // What a package repository is for other hosts: install puts it where it belongs.
  const program = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${kubelet}' "$@"\n`
  await writeFile(`${root}/opt/demo/kubelet`, program)
  await chmod(`${root}/opt/demo/kubelet`, 0o755)
  await newBoot(root)
}

/** Volatile files are gone and the boot has another id. */
export async function newBoot(root: string): Promise<void> {
  await rm(`${root}/run`, { recursive: true, force: true })
  await mkdir(`${root}/run`)
  await writeFile(`${root}/proc/sys/kernel/random/boot_id`, `${randomUUID()}\n`)
}

/** The environment of a login on the host. */
export function loginEnvironment(root: string, user: string): Readonly<Record<string, string>> {
  return {
    KPSSH_ROOT: root,
    PATH: `${root}/usr/local/bin:${root}/opt/demo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: `${root}/root`,
    TMPDIR: `${root}/tmp`,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
  }
}
