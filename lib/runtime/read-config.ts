// A function's settings, read once at cold start. Every problem is told at once: whoever deploys mends them in one go.
import type { z } from 'zod'
import { ConfigError } from '../errors/config-error.ts'
import type { Environment } from './environment.ts'

/** Throws ConfigError. Values are never repeated in it: a misplaced setting may be a secret. */
export function readConfig<T>(schema: z.ZodType<T>, environment: Environment): T {
  const result = schema.safeParse(environment)
  if (result.success) return result.data
  const problems = result.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'settings'}: ${issue.message}`,
  )
  throw new ConfigError(
    `Cannot read the configuration: ${problems.join('; ')}, set these environment variables`,
    {
      reason: 'ConfigurationInvalid',
      details: { problems: problems.length },
    },
  )
}
