// PUT and PATCH end here: one object replaces another if it says what it believes and what it says is valid.
import type { ApiContext } from '../api-context.ts'
import { isSame } from '../json.ts'
import { readSentObject, type KubeObject, type SentObject } from '../kube-object.ts'
import { checkNodeWrite } from '../node-identity.ts'
import { collectionOf, type ResourceType, type RuleScope } from '../resource-type.ts'
import { badRequest, causeInvalid, conflict, invalid } from '../status-error.ts'
import { checkKind, isDryRun, withoutStatus, type Write } from './create.ts'
import { changedObject, finalizerCauses, metaCauses, withGeneration } from './object-meta.ts'
import { refuseUnknownFields } from './strict-fields.ts'

const staleText =
  'the object has been modified; please apply your changes to the latest version and try again'

export interface Update extends Write {
  readonly current: KubeObject
  /** A PUT of a custom resource must name the version it replaces; a patch need not. */
  readonly mustNameVersion: boolean
}

export function updateObject(context: ApiContext, type: ResourceType, update: Update): KubeObject {
  const { current, address, user } = update
  const sent = readSentObject(update.body, type.kind)
  checkKind(type, sent)
  checkBelief(type, sent, update)
  checkNodeWrite(user, type.plural, { next: sent.fields, current })
  const scope: RuleScope = { nowMs: context.clock.nowMs(), user, unknownFields: [] }
  const next = nextObject(type, { sent, current, scope }, address.subresource)
  refuseUnknownFields(address, scope)
  const causes = [
    ...finalizerCauses(next, current),
    ...metaCauses(type, next),
    ...(type.rules.validate?.(next, current) ?? []),
  ]
  if (causes.length > 0) throw invalid(type, current.metadata.name, causes)
  return isDryRun(address) || isSame(next, current) ? next : storeChange(context, type, next)
}

/** A change that takes away what held a deleted object ends it. */
export function storeChange({ store }: ApiContext, type: ResourceType, next: KubeObject): KubeObject {
  return isFinished(type, next) ? store.remove(collectionOf(type), next) : store.put(collectionOf(type), next)
}

function checkBelief(type: ResourceType, { meta }: SentObject, { current, mustNameVersion }: Update): void {
  const { name, uid, resourceVersion } = current.metadata
  if (meta.name !== undefined && meta.name !== name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${name})`)
  }
  if (meta.uid !== undefined && meta.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${meta.uid}, UID in object meta: ${uid}`
    throw conflict(type, name, why)
  }
  if (meta.resourceVersion !== undefined) {
    if (meta.resourceVersion !== resourceVersion) throw conflict(type, name, staleText)
  } else if (mustNameVersion && !type.allowsUnconditionalUpdate) {
    const cause = causeInvalid('metadata.resourceVersion', '0: must be specified for an update')
    throw invalid({ ...type, kind: type.plural }, name, [cause])
  }
}

function nextObject(
  type: ResourceType,
  change: { readonly sent: SentObject; readonly current: KubeObject; readonly scope: RuleScope },
  subresource: string | undefined,
): KubeObject {
  const { sent, current, scope } = change
  const changed = changedObject(type, sent, current)
  if (subresource === 'status') {
    const next = type.rules.prepareStatus?.(changed, current, scope) ?? changed
    return withStatusOf(type.isCustom ? current : { ...current, metadata: next.metadata }, next)
  }
  const main = type.hasStatus ? withStatusOf(changed, current) : changed
  return withGeneration(type, type.rules.prepareUpdate?.(main, current, scope) ?? main, current)
}

function withStatusOf(object: KubeObject, source: KubeObject): KubeObject {
  const bare = withoutStatus(object)
  return source['status'] === undefined ? bare : { ...bare, status: source['status'] }
}

/** Deleted, and nobody holds it any longer. */
export function isFinished(type: ResourceType, object: KubeObject): boolean {
  const { metadata } = object
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metadata.finalizers ?? []).length === 0 &&
    type.rules.isHeld?.(object) !== true
  )
}
