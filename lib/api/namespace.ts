import { z } from 'zod'
import { ObjectMeta } from './object-meta.ts'

export const Namespace = z.object({ metadata: ObjectMeta })
export type Namespace = Readonly<z.infer<typeof Namespace>>
