import { z } from 'zod'
import { atomicMap, celRules } from './crd-meta.ts'

/** Names an object in the same namespace, or cluster-wide. The default is refused, by a rule that says why. */
export const LocalObjectReference = z
  .object({ name: z.string().max(253).default('').describe('Name of the object.') })
  .refine(({ name }) => name !== '', 'name must not be empty')
  .meta({ ...atomicMap, ...celRules({ rule: "self.name != ''", message: 'name must not be empty' }) })
export type LocalObjectReference = Readonly<z.infer<typeof LocalObjectReference>>
