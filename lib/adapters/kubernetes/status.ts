// The Status object with which an API server explains a failure.
import { z } from 'zod'

const Status = z.object({
  kind: z.literal('Status'),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.int().optional(),
  details: z
    .object({
      causes: z
        .array(
          z.object({
            reason: z.string().optional(),
            message: z.string().optional(),
            field: z.string().optional(),
          }),
        )
        .optional(),
      retryAfterSeconds: z.number().optional(),
    })
    .optional(),
})
export type Status = Readonly<z.infer<typeof Status>>

export function statusOf(body: unknown): Status | undefined {
  return Status.safeParse(body).data
}

/** 429 has two meanings: the server is busy, or a PodDisruptionBudget forbids the eviction. */
export function isDisruptionBudget(body: unknown): boolean {
  return statusOf(body)?.details?.causes?.some((cause) => cause.reason === 'DisruptionBudget') ?? false
}
