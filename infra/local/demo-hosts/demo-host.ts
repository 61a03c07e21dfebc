// One demo host: a sandbox, its sshd, and the switch that takes its power away.
import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { killProcessesOf } from './host-processes.ts'
import { loginEnvironment, makeSandbox, newBoot, type MachineSpec } from './sandbox.ts'
import { makeSshKeyPair } from './ssh-keys.ts'
import { makeSshServer } from './ssh-server.ts'

export interface DemoHostSpec extends MachineSpec {
  readonly name: string
  /** Who logs in. Default `demo`, with the stand-in for sudo; `root` needs none. */
  readonly user?: string
  /** Its node's InternalIP. */
  readonly nodeAddress: string
}

export interface DemoHost {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly user: string
  readonly nodeAddress: string
  readonly cpu: number
  readonly memory: string
  /** OpenSSH's public key line of the host, as known_hosts has it behind the name. */
  readonly hostKey: string
  /** `SHA256:...` */
  readonly hostKeyFingerprint: string
  /** The directory that is the host's file system. */
  readonly root: string
}

export interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunningHost {
  readonly facts: DemoHost
  /** A command on the host, as somebody with a console would type it. */
  run(command: string): Promise<CommandResult>
  powerOff(): Promise<void>
  powerOn(): Promise<void>
  failNextJoin(): Promise<void>
}

export async function startDemoHost(
  spec: DemoHostSpec,
  options: { readonly root: string; readonly authorizedKey: string },
): Promise<RunningHost> {
  const { root, authorizedKey } = options
  const user = spec.user ?? 'demo'
  const hostKey = makeSshKeyPair()
  await makeSandbox(root, spec)
  const server = makeSshServer({
    hostKey: hostKey.privateKey,
    authorizedKeys: [authorizedKey],
    environmentOf: (login) => loginEnvironment(root, login),
    directory: `${root}/root`,
  })
  const port = await server.listen(0)
  const run = (command: string): Promise<CommandResult> => runOn(root, user, command)

  return {
    facts: {
      name: spec.name,
      address: '127.0.0.1',
      port,
      user,
      nodeAddress: spec.nodeAddress,
      cpu: spec.cpu,
      memory: spec.memory,
      hostKey: hostKey.publicKey,
      hostKeyFingerprint: hostKey.fingerprint,
      root,
    },
    run,
    async powerOff() {
      await server.halt()
      await killProcessesOf(root)
    },
    async powerOn() {
      await newBoot(root)
      for (const unit of await enabledUnits(root)) await run(`systemctl start ${unit}`)
      await server.listen(port)
    },
    failNextJoin: () => writeFile(`${root}/etc/demo/kubelet-fails`, ''),
  }
}

async function enabledUnits(root: string): Promise<readonly string[]> {
  return readdir(`${root}/etc/systemd/system/multi-user.target.wants`).catch(() => [])
}

function runOn(root: string, user: string, command: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['-c', command], {
      cwd: `${root}/root`,
      env: { ...loginEnvironment(root, user) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ exitCode: code ?? 255, ...output }))
  })
}
