// Why a pod is not even tried.
import { labels } from '../api/names.ts'
import { keyPrefix } from '../api/label-syntax.ts'
import type { PendingPod } from '../messages/cluster-observed.ts'
import { currentKey, wellKnownLabels } from './requirements.ts'
import type { Reason } from './unplaced.ts'

const required = 'requiredDuringSchedulingIgnoredDuringExecution'

export function podProblem(pod: PendingPod): Reason | undefined {
  const invalid = invalidity(pod)
  if (invalid !== undefined) return { code: 'PodInvalid', message: invalid }
  const rule = unsupportedRule(pod)
  if (rule === undefined) return undefined
  return { code: 'RuleNotSupported', message: `the pod has ${rule}, which is not looked at` }
}

function invalidity({ needs }: PendingPod): string | undefined {
  const terms = needs.nodeAffinity?.[required]?.nodeSelectorTerms ?? []
  if (terms.some(({ matchFields = [] }) => matchFields.length > 0)) return 'matchFields are not supported'
  const isNothing = terms.every(({ matchExpressions = [] }) => matchExpressions.length === 0)
  if (terms.length > 0 && isNothing) return 'the required node affinity selects no node'
  const keys = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))
  const restricted = [...Object.keys(needs.nodeSelector), ...keys].find(isRestricted)
  return restricted === undefined ? undefined : `${restricted} is a label that no NodePool may set`
}

function isRestricted(key: string): boolean {
  const current = currentKey(key)
  if (wellKnownLabels.has(current)) return false
  const domain = keyPrefix(current)
  return current === labels.hostname || domain === 'karpenter.sh' || domain.endsWith('.karpenter.sh')
}

/** Placing such a pod by its requests alone could take host after host without ever letting it run. */
function unsupportedRule({ needs }: PendingPod): string | undefined {
  if (isFilled(needs.podAffinity?.[required])) return 'required pod affinity'
  if (isFilled(needs.podAntiAffinity?.[required])) return 'required pod anti-affinity'
  const isSpread = needs.topologySpreadConstraints.some(
    (rule) => rule['whenUnsatisfiable'] === 'DoNotSchedule',
  )
  return isSpread ? 'a topology spread constraint with DoNotSchedule' : undefined
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}
