import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { X509Certificate } from 'node:crypto'
import { SpecError } from '../errors/spec-error.ts'
import { parseProofSettings, requireProvableVars } from './proof-settings.ts'

const file = 'my/proof.yaml'

function refusal(value: unknown): string {
  try {
    parseProofSettings(file, value)
  } catch (error) {
    assert.ok(error instanceof SpecError)
    assert.equal(error.reason, 'ProofInvalid')
    return error.message
  }
  assert.fail('it was accepted')
}

describe('parseProofSettings', () => {
  it('has a value for everything that is not said', () => {
    for (const empty of [undefined, null, {}]) {
      const { context, ...rest } = parseProofSettings(file, empty)
      assert.deepEqual(rest, {
        ...{ family: ['debian'], steer: {}, machine: '' },
        ...{ leaveKeeps: [], rebootBeforeUninstall: false, uninstallKeeps: [], volatile: [] },
      })
      assert.match(context.BootstrapToken, /^[a-z0-9]{6}\.[a-z0-9]{16}$/)
      assert.equal(context.RegisterWithTaints, 'karpenter.sh/unregistered:NoExecute')
      const certificate = new X509Certificate(Buffer.from(context.ClusterCACert, 'base64'))
      assert.equal(certificate.ca, true)
    }
  })
  it('takes parts of a context over the rest', () => {
    const { context } = parseProofSettings(file, { context: { NodeName: 'n', Vars: { a: 'b' } } })
    assert.deepEqual([context.NodeName, context.Vars, context.HostAddress], ['n', { a: 'b' }, '192.0.2.11'])
  })
  it('says in one line which field is wrong', () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [
        { context: { Vars: { k8sMinor: 1.36 } } },
        'context.Vars.k8sMinor: Invalid input: expected string, received number, put it in quotes',
      ],
      [{ family: ['suse'] }, 'family.0: Invalid option: expected one of "debian"|"redhat", correct it'],
      [{ volatile: ['var/log'] }, 'volatile.0: must be an absolute path, correct it'],
      [
        { machines: '' },
        'machines: there is no such key, use context, family, steer, machine, leaveKeeps, rebootBeforeUninstall, uninstallKeeps, volatile',
      ],
      [
        { context: { Token: 'x' } },
        'context.Token: there is no such key, use ClusterEndpoint, ClusterCACert, BootstrapToken, NodeName, ProviderID, NodeLabels, RegisterWithTaints, HostAddress, NodeAddress, Vars, Secrets',
      ],
      [{ steer: { '../x': 'y' } }, 'steer.../x: must be the name of a command, correct it'],
      ['text', 'the document: Invalid input: expected object, received string, correct it'],
    ]
    for (const [value, message] of cases) {
      assert.equal(refusal(value), `Cannot use "my/proof.yaml": ${message}`)
    }
  })
})

describe('requireProvableVars', () => {
  const profile = {
    metadata: { name: 'edge' },
    spec: { scripts: {}, parameters: [{ name: 'k8sMinor', pattern: '1\\.[0-9]+' }] },
  }
  it('says where to give a value to a parameter without default', () => {
    assert.throws(() => requireProvableVars(profile, parseProofSettings(file, {}), file), {
      reason: 'ProofVarsInvalid',
      message:
        'Cannot prove profile "edge": vars.k8sMinor is missing and has no default, give values for the proofs in "my/proof.yaml", below context.Vars',
    })
  })
  it('names a var that the profile does not declare', () => {
    const settings = parseProofSettings(file, { context: { Vars: { k8sMinor: '1.36', k8sminor: '1.36' } } })
    assert.throws(() => requireProvableVars(profile, settings, file), {
      message:
        'Cannot prove profile "edge": vars.k8sminor is no parameter of the profile, give values for the proofs in "my/proof.yaml", below context.Vars',
    })
  })
  it('takes values that fit', () => {
    requireProvableVars(profile, parseProofSettings(file, { context: { Vars: { k8sMinor: '1.36' } } }), file)
  })
})
