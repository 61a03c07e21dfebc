// What every function is told by its environment; serverless.yml sets it all, so that no default hides here.
import { z } from 'zod'
import { ClusterSettings } from './cluster-settings.ts'

const url = z.url()

/** Text that holds JSON. */
function json<T>(schema: z.ZodType<T>) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'not JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}

export const Settings = z.object({
  KPSSH_TABLE: z.string().min(1),
  KPSSH_EVENTS_QUEUE: url,
  KPSSH_INSTALL_QUEUE: url,
  KPSSH_JOIN_QUEUE: url,
  KPSSH_LEAVE_QUEUE: url,
  KPSSH_PROBE_QUEUE: url,
  KPSSH_EVENTS_DEAD_LETTER_QUEUE: url,
  KPSSH_INSTALL_DEAD_LETTER_QUEUE: url,
  KPSSH_JOIN_DEAD_LETTER_QUEUE: url,
  KPSSH_LEAVE_DEAD_LETTER_QUEUE: url,
  KPSSH_PROBE_DEAD_LETTER_QUEUE: url,
  /** How to reach each cluster, by its name. */
  KPSSH_CLUSTERS: json(z.record(z.string().min(1), ClusterSettings)),
  /** Where the clusters keep SSHHosts' key Secrets and what else is ours. */
  KPSSH_NAMESPACE: z.string().min(1),
})
export type Settings = Readonly<z.infer<typeof Settings>>
