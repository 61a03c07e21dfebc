import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { definitions } from './definitions.ts'
import { manifestOf, manifestYAML } from './manifest.ts'
import type { OpenAPI } from './open-api-schema.ts'

interface Version {
  additionalPrinterColumns: { name: string; jsonPath: string }[]
  schema: { openAPIV3Schema: { required?: string[]; properties: Record<string, OpenAPI> } }
  subresources?: object
}
interface Manifest {
  metadata: { name: string }
  spec: { group: string; scope: string; names: Record<string, unknown>; versions: [Version] }
}

function manifest(kind: string): Manifest {
  const definition = definitions.find((each) => each.kind === kind)
  return manifestOf(definition!) as unknown as Manifest
}
function columns(kind: string): string[] {
  return manifest(kind).spec.versions[0].additionalPrinterColumns.map(({ name }) => name)
}
function fields(kind: string): string[] {
  const { spec } = manifest(kind).spec.versions[0].schema.openAPIV3Schema.properties
  return Object.keys(spec?.['properties'] as object)
}

describe('CRD manifests', () => {
  for (const definition of definitions) {
    it(`${definition.file} is what lib/api says: run node infra/crds/generate.ts`, () => {
      assert.equal(readFileSync(join(import.meta.dirname, definition.file), 'utf8'), manifestYAML(definition))
    })
  }

  it('name kinds, scopes and short names as users know them', () => {
    const facts = (kind: string) => {
      const { scope, names, group } = manifest(kind).spec
      return [group, scope, names['plural'], names['shortNames'], names['categories']]
    }
    const group = 'karpenter.dklesev.github.io'
    assert.deepEqual(facts('SSHHost'), [group, 'Namespaced', 'sshhosts', ['sshh'], ['karpenter']])
    assert.deepEqual(facts('SSHNodeClass'), [group, 'Cluster', 'sshnodeclasses', ['snc'], ['karpenter']])
    assert.deepEqual(facts('SSHJoinProfile'), [group, 'Cluster', 'sshjoinprofiles', ['sjp'], ['karpenter']])
    assert.deepEqual(facts('NodePool'), ['karpenter.sh', 'Cluster', 'nodepools', undefined, ['karpenter']])
    assert.deepEqual(facts('NodeClaim'), ['karpenter.sh', 'Cluster', 'nodeclaims', undefined, ['karpenter']])
  })

  it('show the columns that kubectl get prints', () => {
    assert.deepEqual(columns('SSHHost'), ['Address', 'Class', 'State', 'Ready', 'Claim', 'Installed', 'Age'])
    assert.deepEqual(columns('SSHNodeClass'), ['Profile', 'Ready', 'Age'])
    assert.deepEqual(columns('SSHJoinProfile'), ['Version', 'Age'])
    assert.deepEqual(columns('NodePool').slice(0, 4), ['NodeClass', 'Nodes', 'Ready', 'Age'])
    assert.deepEqual(columns('NodeClaim').slice(0, 6), ['Type', 'Capacity', 'Zone', 'Node', 'Ready', 'Age'])
    const [, ofClass] = manifest('SSHHost').spec.versions[0].additionalPrinterColumns
    assert.equal(ofClass?.jsonPath, '.metadata.labels.karpenter\\.dklesev\\.github\\.io/host-class')
  })

  it('have a status subresource, except the profile, which has no status', () => {
    assert.deepEqual(manifest('SSHHost').spec.versions[0].subresources, { status: {} })
    assert.deepEqual(manifest('SSHNodeClass').spec.versions[0].subresources, { status: {} })
    assert.equal(manifest('SSHJoinProfile').spec.versions[0].subresources, undefined)
  })

  it('carry every field of the three kinds', () => {
    assert.deepEqual(fields('SSHHost').sort(), [
      'address',
      'capacity',
      'execMode',
      'nodeAddress',
      'pool',
      'port',
      'shimCommand',
      'sshKeySecretRef',
      'trustedSigners',
      'user',
      'zone',
    ])
    assert.deepEqual(fields('SSHNodeClass').sort(), [
      'cluster',
      'hostSelector',
      'joinProfileRef',
      'joinSecretRef',
      'kubeReserved',
      'maxPods',
      'pricePerCPUHour',
      'providerIDSource',
      'registrationTimeout',
      'startupTaintGates',
      'vars',
    ])
    assert.deepEqual(fields('SSHJoinProfile').sort(), [
      'agentUnits',
      'manifests',
      'parameters',
      'scripts',
      'signatures',
      'timeouts',
      'version',
    ])
  })

  it('use only words that a structural schema knows', () => {
    const text = JSON.stringify(definitions.map(manifestOf))
    assert.doesNotMatch(text, /"(\$schema|propertyNames|const|\$ref|\$defs|prefixItems)"/)
    assert.doesNotMatch(text, /"type":\[/)
  })

  it('do not require spec where the first implementation did not', () => {
    assert.equal(manifest('SSHHost').spec.versions[0].schema.openAPIV3Schema.required, undefined)
  })
})
