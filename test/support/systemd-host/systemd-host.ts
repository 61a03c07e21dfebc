// A real host for tests: Debian, booted by systemd, with sshd and an operator who may sudo, in namespaces of its own. What is
// done to it goes through the product's own SSH transport and runs. Its reboot is one.
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSshKeyPair } from '../../../infra/local/demo-hosts/ssh-keys.ts'
import { SandboxError } from '../../../lib/errors/sandbox-error.ts'
import { HostError } from '../../../lib/errors/host-error.ts'
import type { RemoteResult, SshTarget, Watch } from '../../../lib/execution/ports.ts'
import type { MachineState, PhaseEnd, PhaseToRun, ProofMachine } from '../../../lib/proof/ports.ts'
import { aCommand, aRun, aShell, someRuns } from '../sshd/runs-on.ts'
import { startHostProcess, type HostProcess } from './host-process.ts'
import { parseState, stateScript } from './machine-state.ts'
import { makeStandIns, standInFolder, type StandIn } from './stand-ins.ts'

export interface SystemdHost extends ProofMachine {
  readonly address: string
  /** This machine's address on the host's network: what listens there is reached by the host. */
  readonly gateway: string
  readonly target: SshTarget
  /** A script for bash, as root, over a connection of its own. */
  sudo(script: string): Promise<RemoteResult>
}

export interface SystemdHostOptions {
  /** Of the Debian tree that `lookForNeeds` has found. */
  readonly tree: string
  /** Where on the host which stand-in is from the beginning. */
  readonly programs: Readonly<Record<string, StandIn>>
  /** Further files by absolute path, as root's, readable by everybody. */
  readonly files?: Readonly<Record<string, string>>
}

const bootTimeoutMs = 60_000
const operator = { name: 'ops', uid: 1000, gid: 1000 }
const keptOutput = 256 * 1024

/** Boots a host and waits until the operator can log in. Whoever makes it closes it. Throws SandboxError. */
export async function makeSystemdHost(options: SystemdHostOptions): Promise<SystemdHost> {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-host-'))
  const login = makeSshKeyPair()
  const hostKey = makeSshKeyPair()
  await layOut(folder, options, { login: login.publicKey, hostKey: hostKey.privateKey })
  const process = await startHostProcess({
    tree: options.tree,
    folder,
    name: basename(folder).toLowerCase(),
    nspawnArguments: [
      `--bind-ro=${join(folder, 'stand-in')}:${standInFolder}`,
      `--bind-ro=${globalThis.process.execPath}:${standInFolder}/node`,
    ],
  })
  const target: SshTarget = {
    label: 'host-a',
    address: process.address,
    port: 22,
    user: operator.name,
    privateKey: { reveal: () => login.privateKey },
    pins: [{ type: 'ssh-ed25519', fingerprint: hostKey.fingerprint }],
  }
  try {
    await untilBooted({ process, target }, '')
    const made = await look(target)
    return machineOn(process, target, new Set(made.mounts))
  } catch (error) {
    await process.close().catch(() => undefined)
    throw error
  }
}

function machineOn(process: HostProcess, target: SshTarget, mountsBefore: ReadonlySet<string>): SystemdHost {
  return {
    address: process.address,
    gateway: process.gateway,
    target,
    close: () => process.close(),
    run: (run) => runPhase(target, run),
    sudo: (script) => sudo(target, script),
    async reboot() {
      const before = await bootId(target)
      await sudo(target, 'systemctl reboot')
      await untilBooted({ process, target }, before)
    },
    async state() {
      const state = await look(target)
      return { ...state, mounts: state.mounts.filter((mount) => !mountsBefore.has(mount)) }
    },
  }
}

/** What lies over the tree from the first boot on. */
async function layOut(
  folder: string,
  { programs, files = {} }: SystemdHostOptions,
  keys: { readonly login: string; readonly hostKey: string },
): Promise<void> {
  const root = join(folder, 'files')
  mkdirSync(join(folder, 'stand-in'), { recursive: true })
  await makeStandIns(join(folder, 'stand-in'))
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 })
    writeFileSync(join(root, path), text, { mode })
  }
  put('/etc/stand-in/made', '')
  put('/etc/demo/machine.json', JSON.stringify({ cpu: '2', memory: '4Gi', heartbeatMs: 500 }))
  put('/etc/ssh/ssh_host_ed25519_key', keys.hostKey, 0o600)
  for (const [path, text] of Object.entries(files)) put(path, text)
  for (const [path, standIn] of Object.entries(programs)) {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o755 })
    cpSync(join(folder, 'stand-in', standIn), join(root, path))
  }
  put('/root/.ssh/authorized_keys', `${keys.login} administrator\n`, 0o600)
  const home = `/home/${operator.name}`
  put(`${home}/.ssh/authorized_keys`, `${keys.login} operator\n`, 0o600)
  for (const path of [home, `${home}/.ssh`, `${home}/.ssh/authorized_keys`]) {
    chownSync(join(root, path), operator.uid, operator.gid)
  }
  for (const path of ['/root', '/root/.ssh', home, `${home}/.ssh`]) chmodSync(join(root, path), 0o700)
  chmodSync(root, 0o755)
}

async function untilBooted(
  { process, target }: { readonly process: HostProcess; readonly target: SshTarget },
  bootBefore: string,
): Promise<void> {
  const giveUpAtMs = Date.now() + bootTimeoutMs
  for (;;) {
    if (process.hasEnded() || Date.now() > giveUpAtMs) {
      throw new SandboxError(`Cannot log in to the host: it does not boot and says "${process.console()}"`)
    }
    const now = await bootId(target).catch((error: unknown) => {
      if (error instanceof HostError) return ''
      throw error
    })
    if (now !== '' && now !== bootBefore) break
    await sleep(100)
  }
  // Units that failed are for the test to find.
  await sudo(target, 'systemctl is-system-running --wait || true')
}

async function bootId(target: SshTarget): Promise<string> {
  return (await sudo(target, 'cat /proc/sys/kernel/random/boot_id')).stdout.trim()
}

function sudo(target: SshTarget, script: string): Promise<RemoteResult> {
  const more = { stdin: Buffer.from(script), maxOutputBytes: 256 * 1024 * 1024 }
  return aShell().run(target, aCommand('sudo -n bash -s', more))
}

async function look(target: SshTarget): Promise<MachineState> {
  const { exitCode, stdout, stderr } = await sudo(target, stateScript)
  if (exitCode !== 0) throw new SandboxError(`Cannot read the state of the host: it says "${stderr}"`)
  return parseState(stdout)
}

async function runPhase(target: SshTarget, { phase, rendered }: PhaseToRun): Promise<PhaseEnd> {
  const runs = someRuns()
  const { script, environment, secrets, timeoutMs, marker: profile, agentUnits } = rendered
  const request = aRun(script, { phase, profile, environment, secrets, timeoutMs, agentUnits })
  const giveUpAtMs = Date.now() + timeoutMs + 60_000
  let output = ''
  const watch: Watch = {
    waitMs: 10_000,
    onOutput: (stream, chunk) => (output += Buffer.from(chunk).toString('utf8')),
  }
  let { report } = await runs.start(target, request, watch)
  while (report.kind === 'running' && Date.now() < giveUpAtMs) {
    const { offset } = report
    ;({ report } = await runs.attach(target, request, { ...watch, offset }))
  }
  if (report.kind !== 'finished') {
    throw new SandboxError(`Cannot run ${phase} on the host: ${JSON.stringify(report)}`)
  }
  const { kind, exitCode } = report.outcome
  return { ...(kind === 'exited' && exitCode !== undefined && { exitCode }), output: capped(output) }
}

function capped(text: string): string {
  if (text.length <= keptOutput) return text
  return `${text.slice(0, keptOutput / 2)}\n[...]\n${text.slice(-keptOutput / 2)}`
}
