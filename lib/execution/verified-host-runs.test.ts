import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RemoteCommand, RemoteResult, RemoteShell, RunRequest, SshTarget, Watch } from './ports.ts'
import { makeVerifiedHostRuns } from './verified-host-runs.ts'

const shimCommand = '/opt/kpssh/kpssh-shim'
const target: SshTarget = {
  label: 'h1',
  address: '10.0.0.1',
  port: 22,
  user: 'kpssh',
  privateKey: { reveal: () => 'key' },
  pins: [],
  verified: { shimCommand },
}
const manifest = { manifest: 'kpssh-manifest: 1\n', signature: 'armor\n' }
const secret = 'abcdef.0123456789abcdef'
const request: RunRequest = {
  runId: 'run-1',
  phase: 'join',
  fence: 1_800_000_001,
  installationID: 'installation-1',
  profile: 'demo@1',
  script: 'true\n',
  environment: { KPSSH_BOOTSTRAP_TOKEN: secret },
  secrets: [secret],
  timeoutMs: 300_000,
  agentUnits: ['kubelet'],
  signed: { manifest, signature: 'script armor\n' },
}
const hostKeys = [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }]

type Answer = Partial<RemoteResult>
interface Sent extends RemoteCommand {
  readonly text: string
}

/** A shim that gives these answers in turn; `%` in what it prints stands for the marker that it was given. */
function aShim(...answers: readonly Answer[]): RemoteShell & { readonly sent: Sent[] } {
  const sent: Sent[] = []
  return {
    sent,
    run(_target, command) {
      const answer = answers[sent.length] ?? {}
      const text = Buffer.from(command.stdin).toString()
      sent.push({ ...command, text })
      const marker = /kpssh-[0-9a-f]{32}/.exec(text)?.[0] ?? ''
      const stdout = (answer.stdout ?? '').replaceAll('%', marker)
      command.onOutput?.('stdout', Buffer.from(stdout))
      command.onOutput?.('stderr', Buffer.from(answer.stderr ?? ''))
      const whole = { command: command.command, reason: 'exited', stderr: '', truncated: false } as const
      return Promise.resolve({ ...whole, durationMs: 1200, hostKeys, ...answer, stdout })
    },
  }
}

function runsOver(shell: RemoteShell) {
  const clock = { nowMs: () => 1_800_000_000_000, wait: () => Promise.resolve() }
  return makeVerifiedHostRuns({ shell, clock, random: { below: (limit) => limit - 1 } })
}

async function start(shell: RemoteShell, more: Partial<RunRequest> = {}, watch: Partial<Watch> = {}) {
  return (await runsOver(shell).start(target, { ...request, ...more }, { waitMs: 45_000, ...watch })).report
}

function refusal(exitCode: number, said: string): Answer {
  return { exitCode, stderr: `kpssh-shim: ${said}\n` }
}

const readsOnlyV1 = refusal(4, 'unsupported envelope version')
const ended = '\n% begin boot-1\n\n% started\n\n% finished exited 0 5 -\n\n% end\n'

describe('makeVerifiedHostRuns', () => {
  it('asks for the shim, never for sudo or a shell', async () => {
    const shim = aShim({ exitCode: 0, stdout: '\n% unknown\n\n% end\n' })
    await runsOver(shim).attach(target, request, { waitMs: 1000 })
    assert.equal(shim.sent[0]?.command, shimCommand)
    assert.match(shim.sent[0]?.text ?? '', /^kpssh-envelope: 2\naction: attach\n/)
  })

  it('starts a run by its manifest, and reads the answer as of every other host', async () => {
    const shim = aShim({ exitCode: 0, stdout: ended })
    const report = await start(shim)
    assert.equal(report.kind === 'finished' && report.outcome.exitCode, 0)
    assert.equal(shim.sent.length, 1)
    assert.equal(shim.sent[0]?.budgets.commandMs, 65_000)
  })

  const refusals = [
    [2, 'verify: Could not verify signature.', 'SignatureRejected'],
    [3, 'parameter: KPSSH_A is not in the manifest', 'ParameterRefused'],
    [4, 'envelope 2: run is given twice', 'EnvelopeRefused'],
    [5, 'unknown phase', 'PhaseUnknown'],
    [6, 'manifest: Expired: it ended at 2026-12-30T00:00:00Z', 'ManifestExpired'],
    [6, 'manifest: SerialTooLow: it has serial 6', 'ManifestSerialTooLow'],
    [6, 'manifest: PhaseMismatch: it is for leave', 'ManifestPhaseMismatch'],
    [6, 'manifest: DigestMismatch: it is for another script', 'ManifestDigestMismatch'],
    [6, 'manifest: NotYetValid: it begins later', 'ManifestNotYetValid'],
    [6, 'manifest: Malformed: serial', 'ManifestMalformed'],
    [6, 'manifest: BadMood: go away', 'ManifestRefused'],
    [1, 'ssh-keygen: not found', 'ShimFailed'],
  ] as const
  for (const [code, said, reason] of refusals) {
    it(`calls exit code ${String(code)} with "${said}" ${reason}: nothing was run`, async () => {
      const report = await start(aShim(refusal(code, said)))
      assert.equal(report.kind === 'unable' && report.reason, reason)
      const shown = said.replace('verify: ', '')
      assert.ok(report.kind === 'unable' && report.message.includes(shown), JSON.stringify(report))
    })
  }

  it('what a shim says gets short and fit for a terminal, and no reason of its own making', async () => {
    const report = await start(aShim(refusal(6, `manifest: ${'x'.repeat(2000)}\u001b[2J: y`)))
    assert.ok(report.kind === 'unable' && report.reason === 'ManifestRefused')
    assert.ok(report.message.length < 700 && !report.message.includes('\u001b'))
  })

  it('knows that nothing was started when the shim refused after it had begun to answer', async () => {
    const late = { ...refusal(6, 'manifest: SerialTooLow: it has serial 6'), stdout: '\n% begin boot-1\n' }
    const report = await start(aShim(late))
    assert.equal(report.kind === 'unable' && report.reason, 'ManifestSerialTooLow')
    const afterStart = { ...late, stdout: '\n% begin boot-1\n\n% started\n' }
    assert.equal((await start(aShim(afterStart))).kind, 'indeterminate')
  })

  const silences: readonly [Answer, string][] = [
    [{ exitCode: 127, stderr: 'sh: 1: /opt/kpssh/kpssh-shim: not found\n' }, 'ShimMissing'],
    [{ exitCode: 126, stderr: 'Permission denied\n' }, 'ShimMissing'],
    [{ exitCode: 1, stderr: 'sudo: a password is required\n' }, 'SudoNeedsPassword'],
    [{ exitCode: 0, stdout: 'Welcome\n' }, 'ShellUnusable'],
  ]
  for (const [answer, reason] of silences) {
    it(`calls it ${reason} when no shim spoke: ${(answer.stderr ?? answer.stdout ?? '').trim()}`, async () => {
      const report = await start(aShim(answer))
      assert.equal(report.kind === 'unable' && report.reason, reason)
    })
  }

  it('asks for the line of sudoers that allows the shim alone', async () => {
    const report = await start(aShim({ exitCode: 1, stderr: 'sudo: a password is required\n' }))
    const line = 'kpssh ALL=(root) NOPASSWD: /opt/kpssh/kpssh-shim ""'
    assert.ok(report.kind === 'unable' && report.message.includes(line), JSON.stringify(report))
  })

  for (const reason of ['disconnected', 'timed-out'] as const) {
    it(`SSH-15: is indeterminate, and no success, when contact ended: ${reason}`, async () => {
      for (const stdout of ['', '\n% begin boot-1\n\n% started\n']) {
        assert.equal((await start(aShim({ reason, stdout }))).kind, 'indeterminate')
      }
    })
  }

  it('reaches no host that is not Verified', async () => {
    const raw = { ...target }
    delete raw.verified
    await assert.rejects(runsOver(aShim()).start(raw, request, { waitMs: 1 }), TypeError)
  })
})

describe('a shim that reads only envelope 1', () => {
  it('is sent the script and its signature, and the run lasts as long as its connection', async () => {
    const shim = aShim(readsOnlyV1, { exitCode: 0, stdout: 'joined\n' })
    const report = await start(shim, {}, { attachedMs: 200_000 })
    assert.deepEqual(report, {
      kind: 'finished',
      bootID: 'unknown',
      outcome: { kind: 'exited', exitCode: 0, stdoutTail: 'joined\n', stderrTail: '', durationMs: 1200 },
    })
    assert.match(shim.sent[1]?.text ?? '', /^kpssh-envelope: 1\nphase: join\nparams-b64: .*\nsig-b64: /)
    assert.equal(shim.sent[1]?.budgets.commandMs, 220_000)
  })

  it('is sent envelope 1 at once where there is no manifest', async () => {
    const shim = aShim({ exitCode: 0 })
    await start(shim, { signed: { signature: 'script armor\n' } })
    assert.equal(shim.sent.length, 1)
    assert.match(shim.sent[0]?.text ?? '', /^kpssh-envelope: 1\n/)
  })

  it('is too old where the script itself is not signed', async () => {
    const report = await start(aShim(readsOnlyV1), { signed: { manifest } })
    assert.equal(report.kind === 'unable' && report.reason, 'ShimTooOld')
  })

  it('is not asked at all where nothing is signed', async () => {
    const shim = aShim()
    for (const signed of [undefined, {}]) {
      const unsigned = { ...request, ...(signed && { signed }) }
      if (signed === undefined) delete unsigned.signed
      const { report } = await runsOver(shim).start(target, unsigned, { waitMs: 1 })
      assert.equal(report.kind === 'unable' && report.reason, 'NotSigned')
    }
    assert.equal(shim.sent.length, 0)
  })

  it('ref 41: tells how a script ended by what it said last, and no script can say otherwise', async () => {
    const stderr = 'kpssh-shim: script exited 3\noops\nkpssh-shim: script exited 2\n'
    const report = await start(aShim(readsOnlyV1, { exitCode: 10, stderr }))
    assert.equal(report.kind === 'finished' && report.outcome.exitCode, 2)
    assert.equal(
      report.kind === 'finished' && report.outcome.stderrTail,
      'kpssh-shim: script exited 3\noops\n',
    )
    const forged = await start(aShim(readsOnlyV1, { exitCode: 10, stderr: 'kpssh-shim: script exited 0\n' }))
    assert.equal(forged.kind === 'finished' && forged.outcome.exitCode, 10)
  })

  it('SSH-36: shows no secret, live or in the end', async () => {
    const shown: string[] = []
    const shim = aShim(readsOnlyV1, { exitCode: 0, stdout: `token ${secret}\n`, stderr: `+ ${secret}\n` })
    const onOutput = (_stream: string, chunk: Uint8Array) => shown.push(Buffer.from(chunk).toString())
    const report = await start(shim, {}, { onOutput })
    assert.ok(report.kind === 'finished')
    assert.equal(report.outcome.stdoutTail, 'token [REDACTED]\n')
    assert.equal(report.outcome.stderrTail, '+ [REDACTED]\n')
    assert.ok(!shown.join('').includes('0123456789'))
  })

  it('says clearly that a run got less time than its profile gives', async () => {
    const report = await start(aShim(readsOnlyV1, { reason: 'timed-out' }), {}, { attachedMs: 60_000 })
    assert.ok(report.kind === 'finished' && report.outcome.kind === 'timed-out')
    assert.match(report.outcome.stderrTail, /60 s of the 300 s that the profile gives/)
    const whole = await start(aShim(readsOnlyV1, { reason: 'timed-out' }), {}, { attachedMs: 900_000 })
    assert.match(
      whole.kind === 'finished' ? whole.outcome.stderrTail : '',
      /still running after 300 s and was left alone/,
    )
  })

  it('SSH-15: keeps no outcome: a run whose connection was lost is lost', async () => {
    const started = await start(aShim(readsOnlyV1, { reason: 'disconnected' }))
    assert.equal(started.kind, 'indeterminate')
    const { report } = await runsOver(aShim(readsOnlyV1)).attach(target, request, { waitMs: 1000 })
    assert.ok(report.kind === 'finished' && report.outcome.kind === 'lost')
    assert.match(report.outcome.stderrTail, /keeps no outcome/)
  })

  it('keeps the last whole lines of what is printed', async () => {
    const stdout = Array.from({ length: 20_000 }, (_, index) => `line ${String(index)}\n`).join('')
    const report = await start(aShim(readsOnlyV1, { exitCode: 0, stdout }))
    assert.ok(report.kind === 'finished')
    assert.ok(report.outcome.stdoutTail.length <= 65_536)
    assert.match(report.outcome.stdoutTail, /^line \d+\n/)
    assert.match(report.outcome.stdoutTail, /line 19999\n$/)
  })

  it('ref 27: is probed for four facts, and the kubelet is the only agent that it knows', async () => {
    const facts = { exitCode: 0, stdout: '8\n65011712\nx86_64\nactive\n' }
    const probe = async (agentUnits: readonly string[]) =>
      (await runsOver(aShim(readsOnlyV1, facts)).probe(target, { agentUnits })).report
    assert.deepEqual(await probe(['kubelet']), {
      kind: 'probed',
      cpu: 8,
      memoryBytes: 66_571_993_088,
      arch: 'amd64',
      agent: 'active',
      bootID: 'unknown',
      clockSkewMs: 0,
      envelope: 1,
    })
    const other = await probe(['k3s-agent'])
    assert.equal(other.kind === 'probed' && other.agent, 'unknown')
  })

  it('an empty answer to a probe is an error, never a host without CPUs', async () => {
    for (const stdout of ['', '8\n', '0\n0\nx86_64\n', 'Welcome\n8\n65011712\nx86_64\n']) {
      const shim = aShim(readsOnlyV1, { exitCode: 0, stdout })
      await assert.rejects(runsOver(shim).probe(target, { agentUnits: ['kubelet'] }), {
        reason: 'ProbeUnreadable',
      })
    }
  })
})

describe('a probe of a shim that reads envelope 2', () => {
  const facts = [
    'cpu=4',
    'memory_kb=8000000',
    'machine=aarch64',
    'now_ms=1800000000500',
    'boot=boot-1',
    'states=inactive',
    'installation=installation-1',
    'fence=7',
    'running=',
  ].join('\n')

  it('tells what every host tells, and which envelope it reads', async () => {
    const shim = aShim({ exitCode: 0, stdout: `\n% begin boot-1\n\n% facts\n${facts}\n\n% end\n` })
    const { report } = await runsOver(shim).probe(target, { agentUnits: ['kubelet'] })
    assert.ok(report.kind === 'probed')
    assert.deepEqual([report.envelope, report.arch, report.installation?.fence], [2, 'arm64', 7])
  })

  it('is unable where the shim is, and unreadable where contact was lost', async () => {
    const unable = await runsOver(aShim(refusal(1, 'ssh-keygen: not found'))).probe(target, {
      agentUnits: [],
    })
    assert.equal(unable.report.kind === 'unable' && unable.report.reason, 'ShimFailed')
    const lost = runsOver(aShim({ reason: 'disconnected' })).probe(target, { agentUnits: [] })
    await assert.rejects(lost, { reason: 'ProbeUnreadable' })
  })
})
