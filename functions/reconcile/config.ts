import { z } from 'zod'
import { Settings } from '../settings.ts'

export const Config = Settings.extend({
  /** Unique ids of the roles of our own functions, which tell of every cluster's hosts. */
  KPSSH_FUNCTION_SENDERS: z
    .string()
    .min(1)
    .transform((text) => text.split(',')),
})
export type Config = Readonly<z.infer<typeof Config>>
