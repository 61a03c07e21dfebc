import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { interestOf, labelsOfInterest, type Interested } from './interest.ts'
import { meta } from '../../test/support/builders/kubernetes.ts'

const nothing: Interested = { podNeeds: [], podDisruptionBudgets: [], daemonSets: [], nodeClasses: [] }

function keys(interested: Partial<Interested>): readonly string[] {
  return [...interestOf({ ...nothing, ...interested })].sort()
}

describe('interestOf', () => {
  it('is empty when no selector refers to pods', () => {
    assert.deepEqual(keys({}), [])
  })

  it('takes the keys of a budget, from matchLabels and matchExpressions alike', () => {
    const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] }
    assert.deepEqual(keys({ podDisruptionBudgets: [{ metadata: meta('web'), spec: { selector } }] }), [
      'app',
      'tier',
    ])
  })

  it('takes the keys of spread constraints and of affinity terms, required and preferred', () => {
    const podNeeds = {
      topologySpreadConstraints: [
        { labelSelector: { matchLabels: { spread: '1' } }, matchLabelKeys: ['pod-template-hash'] },
      ],
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { near: '1' } } }],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { labelSelector: { matchLabels: { far: '1' } }, mismatchLabelKeys: ['tenant'] },
          },
        ],
      },
    }
    assert.deepEqual(keys({ podNeeds: [podNeeds] }), ['far', 'near', 'pod-template-hash', 'spread', 'tenant'])
  })

  it('takes the rules in a DaemonSet template', () => {
    const spec = {
      containers: [],
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { agent: '1' } } },
          ],
        },
      },
    }
    assert.deepEqual(keys({ daemonSets: [{ metadata: meta('agent'), spec: { template: { spec } } }] }), [
      'agent',
    ])
  })

  it('takes the keys of startup taint gates', () => {
    const gate = {
      taintKey: 'x',
      removeWhen: {
        podsReady: { namespace: 'kube-system', selector: { matchLabels: { 'k8s-app': 'cni' } }, minReady: 1 },
      },
    }
    const spec = {
      joinProfileRef: { name: 'demo' },
      providerIDSource: 'Static' as const,
      pricePerCPUHour: '0.02',
      startupTaintGates: [gate],
    }
    assert.deepEqual(keys({ nodeClasses: [{ metadata: meta('rack'), spec }] }), ['k8s-app'])
  })

  it('reads over rules that make no sense', () => {
    const podNeeds = {
      topologySpreadConstraints: [{ labelSelector: 'web' }],
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: 3 },
    }
    assert.deepEqual(keys({ podNeeds: [podNeeds] }), [])
  })
})

describe('labelsOfInterest', () => {
  it('leaves out every label that nobody asks for', () => {
    assert.deepEqual(labelsOfInterest({ app: 'web', 'pod-template-hash': 'abc' }, new Set(['app'])), {
      app: 'web',
    })
  })
})
