import { z } from 'zod'

export const NodeSelectorRequirement = z.object({
  key: z.string(),
  operator: z.string(),
  values: z.array(z.string()).optional(),
})
export type NodeSelectorRequirement = Readonly<z.infer<typeof NodeSelectorRequirement>>

export const NodeSelectorTerm = z.object({
  matchExpressions: z.array(NodeSelectorRequirement).optional(),
  matchFields: z.array(NodeSelectorRequirement).optional(),
})
export type NodeSelectorTerm = Readonly<z.infer<typeof NodeSelectorTerm>>

/** Terms are alternatives; requirements within a term must all hold. */
export const NodeSelector = z.object({ nodeSelectorTerms: z.array(NodeSelectorTerm) })
export type NodeSelector = Readonly<z.infer<typeof NodeSelector>>
