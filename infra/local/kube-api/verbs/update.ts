// PUT and PATCH end here: one object replaces another if it says what it believes and what it says is valid.
import type { ApiContext } from '../api-context.ts'
import { isSame } from '../json.ts'
import { readSentObject, type KubeObject, type SentObject } from '../kube-object.ts'
import { checkNodeWrite } from '../node-identity.ts'
import { collectionOf, type ResourceType, type RuleScope } from '../resource-type.ts'
import { badRequest, causeInvalid, conflict, invalid } from '../status-error.ts'
import { checkKind, withoutStatus, type WriteOptions } from './create.ts'
import { changedObject, finalizerCauses, metaCauses, withGeneration } from './object-meta.ts'
import { refuseUnknownFields } from './strict-fields.ts'

const staleText =
  'the object has been modified; please apply your changes to the latest version and try again'

export interface UpdateOptions extends WriteOptions {
  /** A PUT of a custom resource must name the version it replaces; a patch need not. */
  readonly mustNameVersion: boolean
}

export function updateObject(
  context: ApiContext,
  type: ResourceType,
  change: { readonly current: KubeObject; readonly body: unknown },
  options: UpdateOptions,
): KubeObject {
  const { current } = change
  const sent = readSentObject(change.body, type.kind)
  checkKind(type, sent)
  checkBelief(type, sent, current, options)
  checkNodeWrite(options.user, type.plural, { next: sent.fields, current })
  const scope: RuleScope = { nowMs: context.clock.nowMs(), user: options.user, unknownFields: [] }
  const next = nextObject(type, { sent, current, scope }, options.address.subresource)
  refuseUnknownFields(options.address, scope)
  const causes = [
    ...finalizerCauses(next, current),
    ...metaCauses(type, next),
    ...(type.rules.validate?.(next, current) ?? []),
  ]
  if (causes.length > 0) throw invalid(type, current.metadata.name, causes)
  if (options.address.query.get('dryRun') === 'All' || isSame(next, current)) return next
  return isFinished(type, next)
    ? context.store.remove(collectionOf(type), next)
    : context.store.put(collectionOf(type), next)
}

function checkBelief(
  type: ResourceType,
  sent: SentObject,
  current: KubeObject,
  options: UpdateOptions,
): void {
  const { name, uid, resourceVersion } = current.metadata
  if (sent.meta.name !== undefined && sent.meta.name !== name) {
    throw badRequest(
      `the name of the object (${sent.meta.name}) does not match the name on the URL (${name})`,
    )
  }
  if (sent.meta.uid !== undefined && sent.meta.uid !== uid) {
    throw conflict(
      type,
      name,
      `Precondition failed: UID in precondition: ${sent.meta.uid}, UID in object meta: ${uid}`,
    )
  }
  if (sent.meta.resourceVersion === undefined) {
    if (!options.mustNameVersion || type.allowsUnconditionalUpdate) return
    const cause = causeInvalid('metadata.resourceVersion', '0: must be specified for an update')
    throw invalid(type, name, [cause], type.plural)
  }
  if (sent.meta.resourceVersion !== resourceVersion) throw conflict(type, name, staleText)
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
