import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { probeEnvelopeV1, runEnvelopeV1, type SignedPhase } from './envelope-v1.ts'

const script = '#!/usr/bin/env bash\necho hi\n'
const scriptLine = 'script-b64: IyEvdXNyL2Jpbi9lbnYgYmFzaAplY2hvIGhpCg==\n'

function envelope(more: Partial<SignedPhase> = {}): string {
  const whole = { phase: 'join', script, signature: 'armor\n', parameters: {}, ...more }
  return Buffer.from(runEnvelopeV1(whole)).toString()
}

describe('envelope 1', () => {
  it('ref 26: has the header first, then the phase, then sorted parameters, byte for byte', () => {
    assert.equal(
      envelope({ parameters: { KPSSH_VAR_x: 'world', KPSSH_NODE_NAME: 'n1' } }),
      `kpssh-envelope: 1\nphase: join\nparams-b64: S1BTU0hfTk9ERV9OQU1FPW4xCktQU1NIX1ZBUl94PXdvcmxkCg==\nsig-b64: YXJtb3IK\n${scriptLine}`,
    )
  })

  it('carries the nine names of a leave as hosts have always been sent them', () => {
    const empty = [
      'BOOTSTRAP_TOKEN',
      'CLUSTER_CA_B64',
      'CLUSTER_ENDPOINT',
      'NODE_LABELS',
      'NODE_NAME',
      'PROVIDER_ID',
      'TAINTS',
    ]
    const address = '10.0.0.11'
    const parameters = {
      ...Object.fromEntries(empty.map((name) => [`KPSSH_${name}`, ''])),
      KPSSH_HOST_ADDRESS: address,
      KPSSH_NODE_ADDRESS: address,
    }
    assert.ok(
      envelope({ phase: 'leave', parameters }).includes(
        'params-b64: S1BTU0hfQk9PVFNUUkFQX1RPS0VOPQpLUFNTSF9DTFVTVEVSX0NBX0I2ND0KS1BTU0hfQ0xVU1RFUl9FTkRQT0lOVD0KS1BTU0hfSE9TVF9BRERSRVNTPTEwLjAuMC4xMQpLUFNTSF9OT0RFX0FERFJFU1M9MTAuMC4wLjExCktQU1NIX05PREVfTEFCRUxTPQpLUFNTSF9OT0RFX05BTUU9CktQU1NIX1BST1ZJREVSX0lEPQpLUFNTSF9UQUlOVFM9Cg==\n',
      ),
    )
  })

  it('ref 27: of a probe is two lines, without script and signature', () => {
    assert.equal(Buffer.from(probeEnvelopeV1()).toString(), 'kpssh-envelope: 1\nphase: probe\n')
  })

  it('leaves the parameters out where there are none', () => {
    assert.equal(envelope(), `kpssh-envelope: 1\nphase: join\nsig-b64: YXJtb3IK\n${scriptLine}`)
  })

  const incomplete = [
    ['ref 28', 'an unknown phase', { phase: 'pwn' }],
    ['ref 28', 'a probe with a script', { phase: 'probe' }],
    ['ref 29', 'a join without signature', { signature: '' }],
    ['ref 30', 'a join without script', { script: '' }],
  ] as const
  for (const [id, what, more] of incomplete) {
    it(`${id}: is not made of ${what}`, () =>
      assert.throws(() => envelope(more), { code: 'SPEC', reason: 'EnvelopeIncomplete' }))
  }
})

describe('the parameters of an envelope', () => {
  const fixed = [
    'BOOTSTRAP_TOKEN',
    'CLUSTER_CA_B64',
    'CLUSTER_ENDPOINT',
    'HOST_ADDRESS',
    'NODE_ADDRESS',
    'NODE_LABELS',
    'NODE_NAME',
    'PROVIDER_ID',
    'TAINTS',
  ]
  const accepted = [...fixed, 'VAR_clusterName', 'VAR_k8sMinor', 'SECRET_ACTIVATION_CODE']
  for (const name of accepted.map((end) => `KPSSH_${end}`)) {
    it(`ref 34: may be named ${name}`, () =>
      assert.match(envelope({ parameters: { [name]: 'x' } }), /params-b64/))
  }

  const steering = [
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'BASHOPTS',
    'PS4',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'PATH',
    'IFS',
    'GLOBIGNORE',
    'HOME',
    'SHELL',
    'EVIL',
  ]
  const malformed = ['kpssh_x', 'KPSSH_', 'KPSSH_Х', 'KPSSH_A=B', 'BASH_FUNC_x%%', 'LC_ALL', 'KPSSH_X\n', '']
  for (const name of [...steering, ...malformed]) {
    it(`ref 33, SSH-37: are not named ${JSON.stringify(name)}`, () =>
      assert.throws(() => envelope({ parameters: { [name]: 'x' } }), { reason: 'ParameterInvalid' }))
  }

  it('ref 31: are not named with a dash', () =>
    assert.throws(() => envelope({ parameters: { 'BAD-NAME': 'x' } }), { reason: 'ParameterInvalid' }))

  it('ref 32, SSH-37: hold no line break and no NUL, and no refusal repeats a value', () => {
    for (const value of ['secret\nb', 'secret\n', 'secret\0']) {
      assert.throws(
        () => envelope({ parameters: { KPSSH_A: value } }),
        (error) => error instanceof Error && !error.message.includes('secret'),
      )
    }
  })

  it('may hold other control characters, and signs of equality', () => {
    const params = Buffer.from('KPSSH_A=a=b\tc\rd\n').toString('base64')
    assert.ok(envelope({ parameters: { KPSSH_A: 'a=b\tc\rd' } }).includes(`params-b64: ${params}\n`))
  })
})
