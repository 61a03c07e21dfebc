import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { isLabelValue, isQualifiedName } from './label-syntax.ts'
import { shortText } from './short-text.ts'

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

/** `key=value:Effect` or `key:Effect`, joined with commas, as the kubelet takes them. Throws SpecError (TaintInvalid). */
export function formatTaintsFlag(taints: readonly Taint[]): string {
  return taints.map(formatTaint).join(',')
}

/** What is no taint could be read as several, or make the kubelet exit. */
function formatTaint({ key, value, effect }: Taint): string {
  const text = value ? `${key}=${value}:${effect}` : `${key}:${effect}`
  if (isQualifiedName(key) && isLabelValue(value ?? '')) return text
  throw new SpecError(
    `Cannot register with the taint "${shortText(text, 100)}": its key or value is malformed, they must be as in labels`,
    { reason: 'TaintInvalid' },
  )
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
