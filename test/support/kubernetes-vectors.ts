// What Kubernetes' own Go libraries answered, see the note in test/fixtures/kubernetes.json.
import fixture from '../fixtures/kubernetes.json' with { type: 'json' }

interface QuantityVector {
  in: string
  error?: boolean
  canonical: string
  value: number | null
  milli: number | null
  sign: number
}
interface DurationVector {
  in: string
  patternOK: boolean
  goSeconds?: number
  goError?: boolean
}
interface SelectorVector<S> {
  selector: S
  matches?: boolean[]
  error?: boolean
}

const raw: unknown = fixture

export const vectors = raw as {
  quantity: QuantityVector[]
  quantityArithmetic: { a: string; b: string; sum: string; sub: string; cmp: number }[]
  duration: DurationVector[]
  kubeletSelfSetLabels: { key: string; kubeletMaySelfSet: boolean }[]
  labelSelector: {
    labelSets: Record<string, string>[]
    cases: SelectorVector<{
      matchLabels?: Record<string, string>
      matchExpressions?: { key: string; operator: string; values?: string[] }[]
    }>[]
  }
  nodeSelectorTerms: {
    nodeLabels: Record<string, string>[]
    cases: {
      terms: { matchExpressions?: { key: string; operator: string; values?: string[] }[] }[]
      matches?: boolean[]
      error?: boolean
    }[]
  }
  tolerations: {
    taints: { key: string; value?: string; effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' }[]
    cases: {
      toleration: { key?: string; operator?: string; value?: string; effect?: string }
      tolerates: boolean[]
    }[]
  }
  registerWithTaintsFlag: {
    in: string
    taints?: { key: string; value: string; effect: string }[]
    error?: boolean
  }[]
}
