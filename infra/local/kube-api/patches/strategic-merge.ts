// Strategic merge patch for the built-in kinds: like a merge patch, but lists whose items have a merge key are merged item by
// item. The keys are those of the fields that nodes, pods and workloads have; any other list is replaced.
import { isList, isRecord, isSame, listOf, recordOf, type JsonRecord } from '../json.ts'
import { badRequest } from '../status-error.ts'

const mergeKeys: Readonly<Record<string, string>> = {
  addresses: 'type',
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  hostAliases: 'ip',
  hostIPs: 'ip',
  imagePullSecrets: 'name',
  ownerReferences: 'uid',
  podIPs: 'ip',
  resourceClaims: 'name',
  topologySpreadConstraints: 'topologyKey',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
}
/** Lists of plain values that are merged as sets. */
const sets = new Set(['finalizers', 'podCIDRs'])
const deletePrefix = '$deleteFromPrimitiveList/'

export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) throw badRequest('error decoding patch: an object is required')
  return mergeRecord(recordOf(target), patch)
}

function mergeRecord(target: JsonRecord, patch: JsonRecord): JsonRecord {
  if (patch['$patch'] === 'replace') return Object.fromEntries(plainEntries(patch))
  const merged = new Map(Object.entries(patch['$patch'] === 'delete' ? {} : target))
  const retained = patch['$retainKeys']
  if (isList(retained)) {
    for (const key of merged.keys()) if (!retained.includes(key)) merged.delete(key)
  }
  for (const [key, change] of plainEntries(patch)) {
    if (change === null) merged.delete(key)
    else merged.set(key, mergeValue(key, merged.get(key), change))
  }
  for (const [key, removed] of Object.entries(patch)) {
    if (!key.startsWith(deletePrefix)) continue
    const name = key.slice(deletePrefix.length)
    merged.set(
      name,
      listOf(merged.get(name)).filter((item) => !listOf(removed).includes(item)),
    )
  }
  return Object.fromEntries(merged)
}

function plainEntries(patch: JsonRecord): readonly (readonly [string, unknown])[] {
  return Object.entries(patch).filter(([key]) => !key.startsWith('$'))
}

function mergeValue(field: string, target: unknown, change: unknown): unknown {
  if (isRecord(change)) return mergeRecord(recordOf(target), change)
  if (!isList(change)) return change
  if (sets.has(field)) return [...new Set([...listOf(target), ...change])]
  const mergeKey = mergeKeys[field]
  return mergeKey === undefined ? change : mergeItems(mergeKey, listOf(target), change)
}

function mergeItems(
  mergeKey: string,
  target: readonly unknown[],
  patch: readonly unknown[],
): readonly unknown[] {
  if (patch.some((item) => isRecord(item) && item['$patch'] === 'replace' && item[mergeKey] === undefined)) {
    return patch.filter((item) => recordOf(item)['$patch'] === undefined)
  }
  let items = [...target]
  for (const item of patch) {
    if (!isRecord(item) || item[mergeKey] === undefined) {
      throw badRequest(`error decoding patch: map does not contain declared merge key: ${mergeKey}`)
    }
    const isThis = (other: unknown): boolean => isSame(recordOf(other)[mergeKey], item[mergeKey])
    const index = items.findIndex(isThis)
    if (item['$patch'] === 'delete') items = items.filter((other) => !isThis(other))
    else if (index === -1) items.push(mergeRecord({}, item))
    else items[index] = mergeRecord(recordOf(items[index]), item)
  }
  return items
}
