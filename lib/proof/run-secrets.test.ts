import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf, prove, stepWith, type ScriptChange } from '../../test/support/worlds/proof-world.ts'

const settings = { context: { Secrets: { 'activation-code': 'c0nspicu0us/+value' } } }
const base64 = Buffer.from('c0nspicu0us/+value').toString('base64')

describe('proof 5, secrets', () => {
  const cases: readonly (readonly [string, string, ScriptChange])[] = [
    ['SecretInOutput', 'one that is printed', { phase: 'join', to: ['say $KPSSH_SECRET_ACTIVATION_CODE'] }],
    ['SecretInOutput', 'its base64, printed', { phase: 'install', to: [`say ${base64}`] }],
    ['SecretInOutput', 'the half of a token', { phase: 'join', to: ['say t0k3n5secr3thalf'] }],
    [
      'SecretInArguments',
      'one among arguments',
      { phase: 'join', to: ['run curl -u $KPSSH_BOOTSTRAP_TOKEN'] },
    ],
    [
      'SecretInEnvironment',
      'one in an environment',
      { phase: 'install', to: ['with CODE=$KPSSH_SECRET_ACTIVATION_CODE curl'] },
    ],
    [
      'SecretInFile',
      'one in a file for everybody, for a moment',
      {
        phase: 'join',
        from: 'remove /etc/bootstrap',
        to: ['write /etc/bootstrap 640 $KPSSH_BOOTSTRAP_TOKEN', 'remove /etc/bootstrap'],
      },
    ],
    [
      'SecretStays',
      'one that leave leaves behind',
      { phase: 'join', to: ['write /etc/kept 600 $KPSSH_BOOTSTRAP_TOKEN'] },
    ],
  ]
  for (const [reason, what, change] of cases) {
    it(`finds ${what}: ${reason}`, async () => {
      assert.deepEqual(await findingsOf(5, change, settings), [reason])
    })
  }
  it('does not look at the steps of a phase that fails', async () => {
    const { steps } = await prove({ phase: 'join', to: ['fail 3'] }, { proofs: [5] })
    const { findings, notes } = stepWith(steps, 'join: files, at every step')
    assert.deepEqual([findings.map(({ message }) => message), notes], [['join ended with exit code 3'], []])
  })
  it('names place and moment, and shows no secret', async () => {
    const change: ScriptChange = {
      phase: 'join',
      from: 'remove /etc/bootstrap',
      to: [
        'write /etc/open 644 $KPSSH_BOOTSTRAP_TOKEN',
        'say x',
        'say $KPSSH_BOOTSTRAP_TOKEN',
        'remove /etc/open',
        'remove /etc/bootstrap',
      ],
    }
    const { steps } = await prove(change, { proofs: [5] })
    const findings = steps.flatMap((step) => step.findings)
    assert.deepEqual(findings, [
      {
        reason: 'SecretInOutput',
        message: 'join prints the value of KPSSH_BOOTSTRAP_TOKEN',
        lines: ['line 2 of the output'],
      },
      {
        reason: 'SecretInFile',
        message:
          '/etc/open holds the value of KPSSH_BOOTSTRAP_TOKEN and may be read by others, at step 15, line 16, before: say x',
        lines: ['its mode is 644, its owner root:root'],
      },
    ])
  })
})
