// How many hosts a second take a whole run that does nothing, start and outcome included, against what people use today:
// `xargs -P64 ssh`. Both talk to the same sshd over 200 loopback addresses, in turns, so that whatever else the machine
// does hits both. Each address is a host of its own: the login shell derives its state directory from the address.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import { makeSystemRandom } from '../../lib/adapters/node/random.ts'
import { makeSshRemoteShell } from '../../lib/adapters/ssh/ssh-remote-shell.ts'
import { parseKnownHost } from '../../lib/execution/known-host.ts'
import type { HostRuns, SshTarget } from '../../lib/execution/ports.ts'
import { makeRawHostRuns } from '../../lib/execution/raw-host-runs.ts'
import { type PrivateSshd, startPrivateSshd } from './private-sshd.ts'

const hosts = 200
const parallel = 64
const rounds = 5
const requiredRatio = 3

const addresses = Array.from({ length: hosts }, (_, index) => `127.0.1.${String(index + 1)}`)

interface Round {
  readonly ours: number
  readonly theirs: number
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-bench-'))
  const sshd = await startPrivateSshd({ folder, listenAddress: '0.0.0.0' })
  try {
    prepareHosts(sshd)
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      const theirs = hosts / (await seconds(() => xargsSsh(sshd)))
      const ours = hosts / (await seconds(() => ownRuns(sshd, round)))
      results.push({ ours, theirs })
      print(
        `round ${String(round)}: ${show(ours)} runs/s, xargs ssh ${show(theirs)} hosts/s, ${show(ours / theirs)} times`,
      )
    }
    conclude(results)
  } finally {
    await sshd.stop()
  }
}

function prepareHosts(sshd: PrivateSshd): void {
  const roots = join(sshd.folder, 'roots')
  for (const address of addresses) {
    mkdirSync(join(roots, address, 'run'), { recursive: true })
    mkdirSync(join(roots, address, 'var/lib'), { recursive: true })
  }
  // $SSH_CONNECTION is "client port server port".
  writeFileSync(
    join(sshd.folder, 'home', '.bashrc'),
    `set -- $SSH_CONNECTION\nexport KPSSH_ROOT=${roots}/$3\n`,
  )
}

async function ownRuns(sshd: PrivateSshd, round: number): Promise<void> {
  const [clock, random] = [makeSystemClock(), makeSystemRandom()]
  const runs = makeRawHostRuns({ shell: makeSshRemoteShell({ clock, random }), clock, random })
  const pins = parseKnownHost(sshd.hostPublicKeys.ed25519 ?? '')
  const privateKey = { reveal: () => sshd.privateKey }
  const waiting = [...addresses]
  const lane = async () => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      await noOp(runs, { label: address, address, port: sshd.port, user: 'root', privateKey, pins }, round)
    }
  }
  await Promise.all(Array.from({ length: parallel }, lane))
}

async function noOp(runs: HostRuns, target: SshTarget, round: number): Promise<void> {
  const request = {
    runId: `bench-${String(round)}`,
    phase: 'join',
    fence: Math.floor(Date.now() / 1000) + round,
    installationID: 'bench',
    profile: 'bench@1',
    script: 'true\n',
    environment: { KPSSH_HOST_ADDRESS: target.address, KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef' },
    secrets: ['abcdef.0123456789abcdef'],
    timeoutMs: 60_000,
    agentUnits: ['kubelet'],
  } as const
  const { report } = await runs.start(target, request, { waitMs: 60_000 })
  if (report.kind !== 'finished' || report.outcome.exitCode !== 0) throw new Error(JSON.stringify(report))
}

function xargsSsh(sshd: PrivateSshd): Promise<void> {
  const options = 'BatchMode=yes StrictHostKeyChecking=no UserKnownHostsFile=/dev/null LogLevel=ERROR'.split(
    ' ',
  )
  const ssh = ['ssh', '-F', 'none', '-i', sshd.privateKeyFile, '-p', String(sshd.port), '-l', 'root']
  const words = [...ssh, ...options.flatMap((option) => ['-o', option]), '{}', 'true']
  return new Promise((resolve, reject) => {
    const xargs = spawn('xargs', [`-P${String(parallel)}`, '-I{}', ...words], {
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    xargs.once('error', reject)
    xargs.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`xargs ssh ended with ${String(code)}`)),
    )
    xargs.stdin.end(addresses.join('\n'))
  })
}

function conclude(results: readonly Round[]): void {
  const ratios = results.map(({ ours, theirs }) => ours / theirs).sort((a, b) => a - b)
  const [low = 0, median = 0, high = 0] = [ratios[0], ratios[Math.floor(ratios.length / 2)], ratios.at(-1)]
  print(
    `${show(median)} times xargs ssh (from ${show(low)} to ${show(high)}), required ${String(requiredRatio)}`,
  )
  if (median < requiredRatio) process.exitCode = 1
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return (performance.now() - startedMs) / 1000
}

function show(value: number): string {
  return value.toFixed(1)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await main()
