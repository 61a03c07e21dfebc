import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RemoteCommand, RemoteResult, RemoteShell, RunRequest, SshTarget } from './ports.ts'
import { makeRawHostRuns } from './raw-host-runs.ts'

const target: SshTarget = {
  label: 'h1',
  address: '10.0.0.1',
  port: 22,
  user: 'root',
  privateKey: { reveal: () => 'key' },
  pins: [],
}
const request: RunRequest = {
  runId: 'run-1',
  phase: 'join',
  fence: 1_800_000_001,
  installationID: 'installation-1',
  profile: 'demo@1',
  script: 'true\n',
  environment: { KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef' },
  secrets: ['abcdef.0123456789abcdef'],
  timeoutMs: 300_000,
  agentUnits: ['kubelet'],
}
const hostKeys = [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }]

/** A shell that answers every command with the same result; `%` in what it prints stands for the marker it was given. */
function aShell(result: Partial<RemoteResult>): RemoteShell & { readonly commands: RemoteCommand[] } {
  const commands: RemoteCommand[] = []
  return {
    commands,
    run(_target, command) {
      commands.push(command)
      const marker = /kpssh-[0-9a-f]{32}/.exec(Buffer.from(command.stdin).toString())?.[0] ?? ''
      const stdout = (result.stdout ?? '').replaceAll('%', marker)
      command.onOutput?.('stdout', Buffer.from(stdout))
      const whole = {
        command: command.command,
        reason: 'exited',
        stderr: '',
        truncated: false,
        durationMs: 1,
      } as const
      return Promise.resolve({ ...whole, hostKeys, ...result, stdout })
    },
  }
}

function runsOver(shell: RemoteShell) {
  const clock = { nowMs: () => 1_800_000_000_000, wait: () => Promise.resolve() }
  return makeRawHostRuns({ shell, clock, random: { below: (limit) => limit - 1 } })
}

describe('makeRawHostRuns', () => {
  const commands = [
    ['ref 12', 'root', 'bash -s'],
    ['ref 11', 'ubuntu', 'sudo -n bash -s'],
  ] as const
  for (const [id, user, command] of commands) {
    it(`${id}: asks ${user}'s login shell for "${command}" and nothing else, ever`, async () => {
      const shell = aShell({ exitCode: 0, stdout: '\n% unknown\n\n% end\n' })
      const runs = runsOver(shell)
      await runs.start({ ...target, user }, request, { waitMs: 1000 })
      await runs.attach({ ...target, user }, request, { waitMs: 1000 })
      await runs.probe({ ...target, user }, { agentUnits: ['kubelet'] }).catch(() => undefined)
      assert.deepEqual(
        shell.commands.map((sent) => sent.command),
        [command, command, command],
      )
    })
  }

  it('gives a contact the time it waits for the run, and some more', async () => {
    const shell = aShell({ exitCode: 0 })
    await runsOver(shell).attach(target, request, { waitMs: 45_000 })
    assert.equal(shell.commands[0]?.budgets.commandMs, 65_000)
  })

  const unknowable: readonly [string, Partial<RemoteResult>][] = [
    ['the connection was lost before an answer', { reason: 'disconnected' }],
    ['it was lost after the start', { reason: 'disconnected', stdout: '\n% begin boot-1\n\n% started\n' }],
    ['the program died in the middle', { reason: 'exited', exitCode: 137, stdout: '\n% begin boot-1\n' }],
    ['the time was over', { reason: 'timed-out' }],
    [
      'the end is missing',
      { reason: 'exited', exitCode: 0, stdout: '\n% begin boot-1\n\n% finished exited 0 1 -\n' },
    ],
    ['there was no status', { reason: 'disconnected', stdout: 'Welcome\n' }],
  ]
  for (const [what, result] of unknowable) {
    it(`SSH-15: is indeterminate, and no success, when ${what}`, async () => {
      const { report } = await runsOver(aShell(result)).start(target, request, { waitMs: 1000 })
      assert.equal(report.kind, 'indeterminate')
    })
  }

  it('knows that nothing was started when bash never spoke', async () => {
    const shell = aShell({ exitCode: 127, stderr: 'sh: 1: bash: not found\n' })
    const { report } = await runsOver(shell).start(target, request, { waitMs: 1000 })
    assert.equal(report.kind === 'unable' && report.reason, 'BashMissing')
  })

  it('an unreadable probe is an error', async () => {
    for (const result of [
      { exitCode: 0, stdout: '4\n8000\nx86_64\n' },
      { reason: 'disconnected' },
    ] as const) {
      const probe = runsOver(aShell(result)).probe(target, { agentUnits: [] })
      if ('exitCode' in result) assert.equal((await probe).report.kind, 'unable')
      else await assert.rejects(probe, { reason: 'ProbeUnreadable' })
    }
  })

  it('passes on which host keys were seen', async () => {
    const answer = await runsOver(aShell({ exitCode: 0, stdout: '\n% unknown\n\n% end\n' })).attach(
      target,
      request,
      { waitMs: 1 },
    )
    assert.deepEqual(answer, { report: { kind: 'unknown' }, hostKeys })
  })

  it('refuses ids that could name other files', async () => {
    for (const runId of ['../x', 'a b', '', 'x'.repeat(200)]) {
      await assert.rejects(
        runsOver(aShell({})).attach(target, { runId, phase: 'join' }, { waitMs: 1 }),
        TypeError,
      )
    }
  })
})
