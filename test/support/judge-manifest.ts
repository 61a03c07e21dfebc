// What an API server with our CRDs says to an object, by the very files that are applied to clusters.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { listOf, recordOf, valueAt } from '../../infra/local/kube-api/json.ts'
import type { KubeObject } from '../../infra/local/kube-api/kube-object.ts'
import { customRules } from '../../infra/local/kube-api/schema/custom-rules.ts'
import { StructuralSchema } from '../../infra/local/kube-api/schema/structural-schema.ts'

const folder = join(import.meta.dirname, '../../infra/crds')

export interface Judgment {
  /** With defaults filled in and unknown fields pruned. */
  readonly spec: unknown
  readonly problems: readonly string[]
}

/** `file` is below infra/crds; `before` is the stored object that an update replaces. */
export function judgeManifest(file: string, object: object, before?: object): Judgment {
  const crd: unknown = parse(readFileSync(join(folder, file), 'utf8'))
  const [version] = listOf(valueAt(recordOf(crd), ['spec', 'versions']))
  const schema = StructuralSchema.parse(valueAt(recordOf(version), ['schema', 'openAPIV3Schema']))
  const rules = customRules(schema)
  const scope = { nowMs: 0, user: { username: 'test', groups: [], extra: {} }, unknownFields: [] }
  const prepare = (each: object) => rules.prepareCreate!(stored(each), scope)
  const prepared = prepare(object)
  const causes = rules.validate!(prepared, before && prepare(before))
  return { spec: prepared['spec'], problems: causes.map(({ field, message }) => `${field}: ${message}`) }
}

function stored(object: object): KubeObject {
  const metadata = { name: 'x', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  const sent = JSON.parse(JSON.stringify(object)) as object
  return { apiVersion: 'v1', kind: 'X', ...sent, metadata }
}
