import type { KindRules } from '../resource-type.ts'
import { certificateSigningRequestRules } from './certificate-signing-request.ts'
import { configMapRules } from './config-map.ts'
import { customResourceDefinitionRules } from './custom-resource-definition.ts'
import { disruptionBudgetRules } from './disruption-budget.ts'
import { namespaceRules } from './namespace.ts'
import { nodeRules } from './node.ts'
import { podRules } from './pod.ts'
import { secretRules } from './secret.ts'
import { workloadRules } from './workload.ts'

const rules: Readonly<Record<string, KindRules>> = {
  '/configmaps': configMapRules,
  '/namespaces': namespaceRules,
  '/nodes': nodeRules,
  '/pods': podRules,
  '/secrets': secretRules,
  'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinitionRules,
  'apps/daemonsets': workloadRules({ hasReplicas: false }),
  'apps/deployments': workloadRules({ hasReplicas: true }),
  'apps/replicasets': workloadRules({ hasReplicas: true }),
  'apps/statefulsets': workloadRules({ hasReplicas: true }),
  'certificates.k8s.io/certificatesigningrequests': certificateSigningRequestRules,
  'policy/poddisruptionbudgets': disruptionBudgetRules,
}

export function rulesOf(group: string, plural: string): KindRules {
  return rules[`${group}/${plural}`] ?? {}
}
