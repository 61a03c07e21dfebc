// What the functions log, for somebody who watches a terminal: what was done to which host, and what went wrong. Everything
// else stays in the log file.
import { z } from 'zod'

const LogLine = z.object({
  level: z.string(),
  message: z.string(),
  service: z.string(),
  group: z.string().optional(),
  durationMs: z.number().optional(),
  outcome: z.string().optional(),
  result: z.string().optional(),
  reason: z.string().optional(),
  nodeClaim: z.string().optional(),
  nodePool: z.string().optional(),
  cluster: z.string().optional(),
  causes: z.array(z.object({ message: z.string() })).optional(),
})
type LogLine = z.infer<typeof LogLine>

/** One line, or nothing worth one. */
export function narrate(text: string): string | undefined {
  const line = LogLine.safeParse(parsed(text)).data
  if (line === undefined) return undefined
  if (line.level === 'ERROR') return tellTrouble(line)
  switch (line.message) {
    case 'record.done':
      return tellPhase(line)
    case 'record.rejected':
    case 'record.retried':
      return tellTrouble(line)
    case 'nodeclaim.created':
      return `NodeClaim ${line.nodeClaim ?? ''} of NodePool ${line.nodePool ?? ''} is wanted`
    default:
      return undefined
  }
}

function tellPhase({
  service,
  group = '',
  outcome,
  result,
  reason,
  durationMs = 0,
  nodeClaim,
}: LogLine): string | undefined {
  if (!['install', 'join', 'leave'].includes(service) || outcome === 'dropped') return undefined
  const how = result ?? (outcome === 'watching' ? 'goes on' : (reason ?? outcome))
  const whom = nodeClaim === undefined ? '' : ` for ${nodeClaim}`
  return `${service} of host ${hostOf(group)}${whom}: ${how}, ${(durationMs / 1000).toFixed(1)} s`
}

function tellTrouble({ service, message, group, cluster, causes }: LogLine): string {
  const where = cluster ?? (group === undefined ? '' : hostOf(group))
  const why = causes?.[0]?.message ?? ''
  return [`${service}: ${message}`, where, why].filter((part) => part !== '').join(': ')
}

/** The last word of `pool/namespace/name`; a cluster is its own name. */
function hostOf(group: string): string {
  return group.split('/').at(-1) ?? group
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
