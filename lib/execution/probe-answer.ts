// A probe's facts, parsed strictly: an empty or unreadable answer is an error, never a host without CPUs.
import { z } from 'zod'
import { HostError } from '../errors/host-error.ts'
import { idPattern } from './host-words.ts'
import type { ProbeReport } from './ports.ts'

const idOrNone = z.union([z.literal(''), z.string().regex(idPattern)])

const count = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/)
  .transform(Number)

const Facts = z.object({
  cpu: count,
  memory_kb: count,
  /** Becomes a label of the Node. */
  machine: z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,30}[A-Za-z0-9])?$/),
  now_ms: z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number),
  boot: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  states: z.string(),
  installation: idOrNone,
  fence: z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number),
  running: idOrNone,
})

export function toProbeReport(label: string, body: string, nowMs: number): ProbeReport {
  const pairs = body
    .split('\n')
    .map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)])
  const parsed = Facts.safeParse(Object.fromEntries(pairs))
  if (!parsed.success) throw unreadable(label, parsed.error.issues[0]?.path.join('.') ?? 'everything')
  const facts = parsed.data
  return {
    kind: 'probed',
    cpu: facts.cpu,
    memoryBytes: facts.memory_kb * 1024,
    arch: kubernetesArch(facts.machine),
    agent: mostAlive(facts.states.split(' ')),
    bootID: facts.boot,
    clockSkewMs: Math.round(facts.now_ms - nowMs),
    ...((facts.installation !== '' || facts.fence > 0) && { installation: toInstallation(facts) }),
  }
}

export function unreadable(label: string, what: string): HostError {
  return new HostError(
    `Cannot read the probe of "${label}": "${what}" is missing or malformed, the host must answer with every fact`,
    { reason: 'ProbeUnreadable', details: { host: label, fact: what } },
  )
}

function toInstallation(facts: z.infer<typeof Facts>): NonNullable<ProbeReport['installation']> {
  const { installation: id, fence, running } = facts
  return { ...(id !== '' && { id }), fence, ...(running !== '' && { runningRunId: running }) }
}

function kubernetesArch(machine: string): string {
  switch (machine) {
    case 'x86_64':
      return 'amd64'
    case 'aarch64':
      return 'arm64'
    default:
      return machine
  }
}

/** The state of the unit that is most alive; a unit being reloaded or ended still runs. */
function mostAlive(states: readonly string[]): ProbeReport['agent'] {
  if (states.some((state) => state === 'active' || state === 'reloading' || state === 'deactivating'))
    return 'active'
  for (const state of ['activating', 'failed', 'inactive'] as const) {
    if (states.includes(state)) return state
  }
  return 'unknown'
}
