import { isRecord, recordOf, type JsonRecord } from '../json.ts'
import type { KindRules } from '../resource-type.ts'
import { causeInvalid, causeRequired } from '../status-error.ts'
import { readSelectorObject } from '../selectors.ts'

/** Kinds that make pods from a template: a selector that its own template matches. */
export function workloadRules(options: { readonly hasReplicas: boolean }): KindRules {
  const withDefaults = (spec: JsonRecord): JsonRecord =>
    options.hasReplicas ? { replicas: 1, ...spec } : spec
  return {
    prepareCreate: (object) => ({ ...object, spec: withDefaults(recordOf(object['spec'])), status: {} }),
    prepareUpdate: (next) => ({ ...next, spec: withDefaults(recordOf(next['spec'])) }),
    validate(object) {
      const spec = recordOf(object['spec'])
      const { selector } = spec
      if (!isRecord(selector)) return [causeRequired('spec.selector')]
      const labels = recordOf(recordOf(recordOf(spec['template'])['metadata'])['labels'])
      if (readSelectorObject(selector)(labels)) return []
      const text = `${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``
      return [causeInvalid('spec.template.metadata.labels', text)]
    },
  }
}
