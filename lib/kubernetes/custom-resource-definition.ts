import { z } from 'zod'
import { ObjectMeta } from '../api/object-meta.ts'

/** As much of a definition as tells whether it is installed and which versions it serves. */
export const CustomResourceDefinition = z.object({
  metadata: ObjectMeta,
  spec: z.object({
    group: z.string(),
    names: z.object({ plural: z.string(), kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), served: z.boolean() })),
  }),
})
export type CustomResourceDefinition = Readonly<z.infer<typeof CustomResourceDefinition>>
