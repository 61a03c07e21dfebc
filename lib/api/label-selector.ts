import { z } from 'zod'

export const LabelSelectorRequirement = z.object({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
})
export type LabelSelectorRequirement = Readonly<z.infer<typeof LabelSelectorRequirement>>

/** metav1.LabelSelector. Operators are checked when it is compiled, as the API server leaves them unchecked too. */
export const LabelSelector = z.object({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z.array(LabelSelectorRequirement).optional(),
})
export type LabelSelector = Readonly<z.infer<typeof LabelSelector>>
