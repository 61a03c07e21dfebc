import { z } from 'zod'

/** Names an object beside ours. The default is the reference's: it is refused, but by a rule that says why. */
export const LocalObjectReference = z.object({ name: z.string().default('') })
export type LocalObjectReference = Readonly<z.infer<typeof LocalObjectReference>>
