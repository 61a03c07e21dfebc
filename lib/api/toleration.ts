import { z } from 'zod'
import type { Taint } from './taint.ts'

export const Toleration = z.object({
  key: z.string().optional(),
  /** `Equal`, the default, or `Exists`. */
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
  tolerationSeconds: z.int().optional(),
})
export type Toleration = Readonly<z.infer<typeof Toleration>>

/** An empty key or effect stands for every one; so `{}` tolerates each taint without a value. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  if (toleration.operator === 'Exists') return true
  const isEqual = !toleration.operator || toleration.operator === 'Equal'
  return isEqual && (toleration.value ?? '') === (taint.value ?? '')
}

export function toleratesTaint(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint))
}
