import { z } from 'zod'
import { Settings } from '../settings.ts'

export const Config = Settings.extend({
  /** A little less than the period of the schedule, so that every host is looked at in each. */
  KPSSH_PROBE_INTERVAL_SECONDS: z.coerce
    .number()
    .positive()
    .transform((seconds) => ({ probeIntervalMs: seconds * 1000 })),
})
