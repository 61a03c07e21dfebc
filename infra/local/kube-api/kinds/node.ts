import { isRecord, listOf, mapFields, printed, recordOf, textOf, type JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { labelProblem, qualifiedNameProblem } from '../name-rules.ts'
import type { KindRules } from '../resource-type.ts'
import { causeForbidden, causeInvalid, type Cause } from '../status-error.ts'

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const emptyNodeInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: '',
  containerRuntimeVersion: '',
  kubeletVersion: '',
  kubeProxyVersion: '',
  operatingSystem: '',
  architecture: '',
}

export const nodeRules: KindRules = {
  keepsStatusOnCreate: true,
  prepareCreate: (object) => withStatusDefaults(withNotReadyTaint(object)),
  prepareUpdate: withStatusDefaults,
  prepareStatus: withStatusDefaults,
  validate(object, current) {
    const causes = taintCauses(object)
    // A real server checks an updated node in two places and reports both.
    return current ? [...causes, ...causes, ...providerCauses(object, current)] : causes
  },
}

/** Until it is known to be ready, a node takes no pods: the API server itself adds the taint. */
function withNotReadyTaint(object: KubeObject): KubeObject {
  const spec = recordOf(object['spec'])
  const taints = listOf(spec['taints'])
  if (
    taints.some(
      (taint) => recordOf(taint)['key'] === notReady.key && recordOf(taint)['effect'] === notReady.effect,
    )
  ) {
    return object
  }
  return { ...object, spec: { ...spec, taints: [...taints, notReady] } }
}

function withStatusDefaults(object: KubeObject): KubeObject {
  const status = recordOf(object['status'])
  const conditions = listOf(status['conditions'])
  const capacity = isRecord(status['capacity']) ? mapFields(status['capacity'], printed) : undefined
  const allocatable = isRecord(status['allocatable']) ? mapFields(status['allocatable'], printed) : capacity
  return {
    ...object,
    status: {
      ...status,
      ...(capacity && { capacity }),
      ...(allocatable && { allocatable }),
      ...(conditions.length > 0 && { conditions: conditions.map(condition) }),
      daemonEndpoints: { kubeletEndpoint: { Port: 0 }, ...recordOf(status['daemonEndpoints']) },
      nodeInfo: { ...emptyNodeInfo, ...recordOf(status['nodeInfo']) },
    },
  }
}

function condition(value: unknown): JsonRecord {
  return { lastHeartbeatTime: null, lastTransitionTime: null, ...recordOf(value) }
}

function taintCauses(object: KubeObject): readonly Cause[] {
  const taints = listOf(recordOf(object['spec'])['taints']).filter(isRecord)
  const identities = taints.map((taint) => `${textOf(taint['key'])}:${textOf(taint['effect'])}`)
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${String(index)}]`
    const isRepeated = identities.indexOf(identities[index] ?? '') !== index
    const repeated: Cause = {
      reason: 'FieldValueDuplicate',
      message: `Duplicate value: ${JSON.stringify(taint)}`,
      field: `${field}.key`,
    }
    return [...oneTaintCauses(taint, field), ...(isRepeated ? [repeated] : [])]
  })
}

function oneTaintCauses(taint: JsonRecord, field: string): readonly Cause[] {
  const key = textOf(taint['key'])
  const value = textOf(taint['value'])
  const effect = textOf(taint['effect'])
  const keyProblem = qualifiedNameProblem(key)
  const valueProblem = labelProblem(value)
  const supported = effects.map((name) => `"${name}"`).join(', ')
  return [
    ...(keyProblem === undefined
      ? []
      : [causeInvalid(`${field}.key`, `${JSON.stringify(key)}: ${keyProblem}`)]),
    ...(valueProblem === undefined
      ? []
      : [causeInvalid(`${field}.value`, `${JSON.stringify(value)}: ${valueProblem}`)]),
    ...(effects.includes(effect)
      ? []
      : [
          {
            reason: 'FieldValueNotSupported',
            message: `Unsupported value: ${JSON.stringify(effect)}: supported values: ${supported}`,
            field: `${field}.effect`,
          },
        ]),
  ]
}

function providerCauses(object: KubeObject, current: KubeObject): readonly Cause[] {
  const before = textOf(recordOf(current['spec'])['providerID'])
  if (before === '' || textOf(recordOf(object['spec'])['providerID']) === before) return []
  const text = 'node updates may not change providerID except from "" to valid'
  return [causeForbidden('spec.providerID', text)]
}
