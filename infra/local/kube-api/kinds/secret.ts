import { isRecord, isSame, mapFields, recordOf, textOf, withoutField } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { configKeyProblem } from '../name-rules.ts'
import type { KindRules } from '../resource-type.ts'
import { badRequest, causeForbidden, causeInvalid, causeRequired, type Cause } from '../status-error.ts'

const maxBytes = 1024 * 1024
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Keys that a Secret of a type cannot be without. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
}

export const secretRules: KindRules = {
  prepareCreate: encoded,
  prepareUpdate: encoded,
  validate(object, current) {
    const data = recordOf(object['data'])
    return [
      ...Object.keys(data).flatMap(keyCauses),
      ...sizeCauses(data),
      ...(requiredKeys[textOf(object['type'])] ?? []).flatMap((key) =>
        Object.hasOwn(data, key) ? [] : [causeRequired(`data[${key}]`)],
      ),
      ...(current ? changeCauses(object, current) : []),
    ]
  },
}

/** stringData is for writing only: it ends up in data, encoded. */
function encoded(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object
  const data = mapFields(recordOf(object['data']), checkedBase64)
  const texts = isRecord(stringData) ? mapFields(stringData, encodeText) : {}
  const merged = { ...data, ...texts }
  return {
    ...withoutField(rest, 'data'),
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: object.metadata,
    ...(Object.keys(merged).length > 0 && { data: merged }),
    type: textOf(object['type']) || 'Opaque',
  }
}

function checkedBase64(value: unknown): string {
  const text = textOf(value ?? '').replace(/[\r\n]/g, '')
  if ((typeof value === 'string' || value === null) && base64.test(text)) return text
  const at = typeof value === 'string' ? Math.max(text.search(/[^A-Za-z0-9+/]/), 0) : 0
  throw badRequest(
    `Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${String(at)}`,
  )
}

function encodeText(value: unknown): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('base64')
  throw badRequest('Secret in version "v1" cannot be handled as a Secret: stringData must hold strings')
}

function keyCauses(key: string): readonly Cause[] {
  const problem = configKeyProblem(key)
  return problem === undefined ? [] : [causeInvalid(`data[${key}]`, `${JSON.stringify(key)}: ${problem}`)]
}

function sizeCauses(data: Readonly<Record<string, unknown>>): readonly Cause[] {
  const bytes = Object.values(data).reduce<number>((sum, value) => sum + (textOf(value).length * 3) / 4, 0)
  if (bytes <= maxBytes) return []
  const message = `Too long: may not be more than ${String(maxBytes)} bytes`
  return [{ reason: 'FieldValueTooLong', message, field: 'data' }]
}

function changeCauses(object: KubeObject, current: KubeObject): readonly Cause[] {
  const causes: Cause[] = []
  if (object['type'] !== current['type']) {
    causes.push(causeInvalid('type', `${JSON.stringify(object['type'])}: field is immutable`))
  }
  if (current['immutable'] === true && !isSame(object['data'], current['data'])) {
    causes.push(causeForbidden('data', 'field is immutable when `immutable` is set'))
  }
  return causes
}
