// Whatever a shim, or what stands in its place, may answer: a report that can be shown, and never a success that was not said.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { runEnvelopeV1 } from '../../lib/execution/envelope-v1.ts'
import { startEnvelope } from '../../lib/execution/envelope-v2.ts'
import type { RemoteReason, RemoteResult, RemoteShell, SshTarget } from '../../lib/execution/ports.ts'
import { makeVerifiedHostRuns } from '../../lib/execution/verified-host-runs.ts'
import { aRun } from '../support/sshd/runs-on.ts'

const target: SshTarget = {
  label: 'h1',
  address: '10.0.0.1',
  port: 22,
  user: 'kpssh',
  privateKey: { reveal: () => 'key' },
  pins: [],
  verified: { shimCommand: '/opt/kpssh/kpssh-shim' },
}
const manifest = { manifest: 'kpssh-manifest: 1\n', signature: 'armor\n' }
const marker = 'kpssh-0123456789abcdef0123456789abcdef'

const said = fc.array(
  fc.constantFrom(
    ...[
      'kpssh-shim: ',
      'envelope: ',
      'envelope 2: ',
      'manifest: ',
      'Expired: ',
      'verify: ',
      'script exited 3',
    ],
    ...[
      'script exited 0',
      '\n',
      '\n%',
      ' begin boot-1',
      ' started',
      ' end',
      ' finished exited 0 1 -',
      ' running',
    ],
    ...[
      ' refused FenceStale 1',
      ' unable NotRoot x',
      ' facts',
      'cpu=1',
      '\u001b[2J',
      'é',
      '\0',
      'x'.repeat(3000),
    ],
  ),
  { maxLength: 12 },
)
const reasons: readonly RemoteReason[] = [
  'exited',
  'signaled',
  'timed-out',
  'cancelled',
  'disconnected',
  'output-limit',
]
const answer = fc.record({
  reason: fc.constantFrom(...reasons),
  exitCode: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 10, 126, 127, 255),
  stdout: said.map((pieces) => pieces.join('')),
  stderr: said.map((pieces) => pieces.join('')),
})

function answering(
  answers: readonly Pick<RemoteResult, 'reason' | 'exitCode' | 'stdout' | 'stderr'>[],
): RemoteShell {
  let count = 0
  return {
    run(_target, command) {
      const given = answers[count++ % answers.length]
      assert.ok(given !== undefined)
      const mark = /kpssh-[0-9a-f]{32}/.exec(Buffer.from(command.stdin).toString())?.[0] ?? ''
      const stdout = given.stdout.replaceAll('%', mark)
      command.onOutput?.('stdout', Buffer.from(stdout))
      command.onOutput?.('stderr', Buffer.from(given.stderr))
      const rest = { command: command.command, truncated: false, durationMs: 1, hostKeys: [] }
      return Promise.resolve({ ...given, ...rest, stdout })
    },
  }
}

describe('whatever a shim answers', () => {
  it('becomes a report that is short and printable, and success only where it said so', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (answers, hasBoth) => {
          const clock = { nowMs: () => 1_800_000_000_000, wait: () => Promise.resolve() }
          const runs = makeVerifiedHostRuns({
            shell: answering(answers),
            clock,
            random: { below: (limit) => limit - 1 },
          })
          const signed = { manifest, ...(hasBoth && { signature: 'x' }) }
          const request = { ...aRun('true\n'), signed }
          for (const { report } of [
            await runs.start(target, request, { waitMs: 1000 }),
            await runs.attach(target, request, { waitMs: 1000 }),
          ]) {
            if ('message' in report) {
              assert.ok(report.message.length < 1000, report.message)
              assert.match(report.message, /^[^\p{Cc}]*$/u)
            }
            if (report.kind !== 'finished' || report.outcome.exitCode !== 0) continue
            assert.ok(
              answers.some(
                ({ reason, exitCode, stdout }) =>
                  (reason === 'exited' && exitCode === 0) || stdout.includes('finished exited 0'),
              ),
            )
          }
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe('an envelope', () => {
  const name = fc.stringMatching(/^KPSSH_[A-Za-z0-9_]{1,20}$/)
  const parameters = fc.dictionary(
    name,
    fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !/[\n\0]/.test(text) && text.isWellFormed()),
  )

  it('is plain lines of "name: value" whatever is in it, and holds all of it', () => {
    fc.assert(
      fc.property(parameters, fc.string({ unit: 'grapheme', minLength: 1 }), (environment, script) => {
        const request = aRun(script, { environment })
        const v1 = runEnvelopeV1({ phase: 'join', script, signature: 's', parameters: environment })
        const v2 = startEnvelope(marker, request, { manifest, waitMs: 0 })
        for (const text of [v1, v2].map((bytes) => Buffer.from(bytes).toString('latin1'))) {
          assert.match(text, /^(?:[a-z0-9-]+: [ -~]+\n)+(?:end:\n)?$/)
          const decoded = (header: string) =>
            Buffer.from(new RegExp(`^${header}: (.*)$`, 'm').exec(text)?.[1] ?? '', 'base64').toString()
          assert.equal(decoded('script-b64'), Buffer.from(script).toString())
          const lines = decoded('params-b64').split('\n').slice(0, -1)
          const pairs = lines.map((line) => [
            line.slice(0, line.indexOf('=')),
            line.slice(line.indexOf('=') + 1),
          ])
          assert.deepEqual(Object.fromEntries(pairs), { ...environment })
          assert.deepEqual(
            pairs.map(([key]) => key),
            Object.keys(environment).sort(),
          )
        }
      }),
    )
  })
})
