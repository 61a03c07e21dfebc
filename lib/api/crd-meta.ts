// What a CRD says of a field beyond its shape. Attached to zod schemas with `.meta(…)`, read by infra/crds.

export interface CelRule {
  readonly rule: string
  readonly message: string
}

/** Checked by the API server, each beside a zod refinement that checks the same here. */
export function celRules(...rules: readonly CelRule[]): {
  readonly 'x-kubernetes-validations': readonly CelRule[]
} {
  return { 'x-kubernetes-validations': rules }
}

export const intOrString = { 'x-kubernetes-int-or-string': true } as const

/** Replaced as a whole by server-side apply. */
export const atomicMap = { 'x-kubernetes-map-type': 'atomic' } as const
export const atomicList = { 'x-kubernetes-list-type': 'atomic' } as const

/** Merged item by item; two items with the same key are refused. */
export function listMap(key: string): Readonly<Record<string, unknown>> {
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] }
}

export const int32 = { format: 'int32' } as const
export const int64 = { format: 'int64' } as const
export const dateTime = { format: 'date-time' } as const
