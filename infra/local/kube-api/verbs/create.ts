import type { ApiContext } from '../api-context.ts'
import type { Address } from '../api-request.ts'
import { textOf, valueAt, withoutField } from '../json.ts'
import { readSentObject, type KubeObject, type SentObject } from '../kube-object.ts'
import { checkNodeWrite } from '../node-identity.ts'
import { apiVersionOf, collectionOf, type ResourceType, type RuleScope } from '../resource-type.ts'
import { alreadyExists, badRequest, invalid, notFound, StatusError } from '../status-error.ts'
import type { UserInfo } from '../user.ts'
import { metaCauses, newObject } from './object-meta.ts'
import { refuseUnknownFields } from './strict-fields.ts'

export interface WriteOptions {
  readonly user: UserInfo
  readonly address: Address
}

export function createObject(
  context: ApiContext,
  type: ResourceType,
  body: unknown,
  options: WriteOptions,
): KubeObject {
  const { address, user } = options
  const sent = readSentObject(body, type.kind)
  checkKind(type, sent)
  const namespace = type.isNamespaced ? (address.namespace ?? sent.meta.namespace ?? '') : undefined
  if (namespace !== undefined) checkNamespace(context, sent, namespace)
  const scope: RuleScope = { nowMs: context.clock.nowMs(), user, unknownFields: [] }
  checkNodeWrite(user, type.plural, { next: sent.fields, current: undefined })
  const object = prepared(context, type, { sent, namespace, scope })
  refuseUnknownFields(address, scope)
  const causes = [...metaCauses(type, object), ...(type.rules.validate?.(object, undefined) ?? [])]
  if (causes.length > 0) throw invalid(type, object.metadata.name, causes)
  const { name } = object.metadata
  if (context.store.get(collectionOf(type), namespace ?? '', name)) throw alreadyExists(type, name)
  if (address.query.get('dryRun') === 'All') return object
  return context.store.put(collectionOf(type), object)
}

function prepared(
  context: ApiContext,
  type: ResourceType,
  given: { readonly sent: SentObject; readonly namespace: string | undefined; readonly scope: RuleScope },
): KubeObject {
  const object = newObject(context, type, given.sent, given.namespace)
  const dropsStatus = type.hasStatus && type.rules.keepsStatusOnCreate !== true
  const bare = dropsStatus ? withoutStatus(object) : object
  return type.rules.prepareCreate?.(bare, given.scope) ?? bare
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
    throw new StatusError(
      403,
      'Forbidden',
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      {
        details: {
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${namespace} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      },
    )
  }
}
