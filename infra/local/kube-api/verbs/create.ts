import type { ApiContext } from '../api-context.ts'
import type { Address } from '../api-request.ts'
import { textOf, valueAt, withoutField } from '../json.ts'
import { readSentObject, type KubeObject, type SentObject } from '../kube-object.ts'
import { checkNodeWrite } from '../node-identity.ts'
import { apiVersionOf, collectionOf, type ResourceType, type RuleScope } from '../resource-type.ts'
import { alreadyExists, badRequest, forbidden, invalid, notFound } from '../status-error.ts'
import type { UserInfo } from '../user.ts'
import { metaCauses, newObject } from './object-meta.ts'
import { refuseUnknownFields } from './strict-fields.ts'

export interface Write {
  readonly body: unknown
  readonly user: UserInfo
  readonly address: Address
}

export function createObject(context: ApiContext, type: ResourceType, write: Write): KubeObject {
  const { address, user } = write
  const sent = readSentObject(write.body, type.kind)
  checkKind(type, sent)
  const namespace = type.isNamespaced ? (address.namespace ?? sent.meta.namespace ?? '') : undefined
  if (namespace !== undefined) checkNamespace(context, sent, namespace)
  checkNodeWrite(user, type.plural, { next: sent.fields, current: undefined })
  const scope: RuleScope = { nowMs: context.clock.nowMs(), user, unknownFields: [] }
  const object = withRules(type, newObject(context, type, { sent, namespace }), scope)
  refuseUnknownFields(address, scope)
  checkNew(context, type, object)
  return isDryRun(address) ? object : context.store.put(collectionOf(type), object)
}

export function isDryRun({ query }: Address): boolean {
  return query.get('dryRun') === 'All'
}

function withRules(type: ResourceType, object: KubeObject, scope: RuleScope): KubeObject {
  const dropsStatus = type.hasStatus && type.rules.keepsStatusOnCreate !== true
  const bare = dropsStatus ? withoutStatus(object) : object
  return type.rules.prepareCreate?.(bare, scope) ?? bare
}

function checkNew(context: ApiContext, type: ResourceType, object: KubeObject): void {
  const { name, namespace = '' } = object.metadata
  const causes = [...metaCauses(type, object), ...(type.rules.validate?.(object, undefined) ?? [])]
  if (causes.length > 0) throw invalid(type, name, causes)
  if (context.store.get(collectionOf(type), namespace, name)) throw alreadyExists(type, name)
}

export function withoutStatus(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = object
  return { ...withoutField(object, 'status'), apiVersion, kind, metadata }
}

/** Custom resources say what they are; for built-in kinds the path says it. */
export function checkKind(type: ResourceType, sent: SentObject): void {
  const apiVersion = textOf(sent.fields['apiVersion'])
  const kind = textOf(sent.fields['kind'])
  if (kind === '' && !type.isCustom) return
  if (kind !== type.kind || (apiVersion !== '' && apiVersion !== apiVersionOf(type))) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): got ${apiVersion || '?'} ${kind || '?'}, expected ${apiVersionOf(type)} ${type.kind}`,
    )
  }
}

function checkNamespace(context: ApiContext, sent: SentObject, namespace: string): void {
  if (sent.meta.namespace !== undefined && sent.meta.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const found = context.store.get('/namespaces', '', namespace)
  if (!found) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace)
  if (valueAt(found, ['metadata', 'deletionTimestamp']) !== undefined) {
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`
    const why = `namespace ${namespace} is being terminated`
    throw forbidden(message, {
      causes: [{ reason: 'NamespaceTerminating', message: why, field: 'metadata.namespace' }],
    })
  }
}
