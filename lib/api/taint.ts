import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { isLabelValue, isQualifiedName } from './label-syntax.ts'

export const TaintEffect = z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
export type TaintEffect = z.infer<typeof TaintEffect>

export const Taint = z.object({
  key: z.string(),
  value: z.string().optional(),
  effect: TaintEffect,
  timeAdded: z.string().optional(),
})
export type Taint = Readonly<z.infer<typeof Taint>>

/** Two taints are the same if and only if key and effect are. */
export function isSameTaint(a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean {
  return a.key === b.key && a.effect === b.effect
}

/** `key=value:Effect` or `key:Effect`, joined with commas, as the kubelet takes them. */
export function formatTaintsFlag(taints: readonly Taint[]): string {
  return taints
    .map(({ key, value, effect }) => (value ? `${key}=${value}:${effect}` : `${key}:${effect}`))
    .join(',')
}

/** Reads what the kubelet's --register-with-taints accepts. Throws SpecError (TaintInvalid). */
export function parseTaintsFlag(text: string): readonly Taint[] {
  return text.split(',').map(parseTaint)
}

function parseTaint(text: string): Taint {
  const match = /^([^=:]*)(?:=([^=:]*))?:([^=:]*)$/.exec(text)
  const [, key = '', value = '', effectText] = match ?? []
  const effect = TaintEffect.safeParse(effectText)
  if (!effect.success || !isQualifiedName(key) || !isLabelValue(value)) {
    throw new SpecError(
      `Cannot read the taint "${text}": it is not key=value:Effect or key:Effect, ` +
        'the effect must be NoSchedule, PreferNoSchedule or NoExecute',
      { reason: 'TaintInvalid' },
    )
  }
  return { key, value, effect: effect.data }
}
