// One contact with a host: one connection, one channel, one command, its answer read as it comes.
import type { Clock } from '../ambient/ports.ts'
import { makeAnswerReader, type HostAnswer, type OutputListener } from './host-answer.ts'
import type { RemoteResult, RemoteShell, SshBudgets, SshTarget } from './ports.ts'

export interface ContactOptions {
  readonly shell: RemoteShell
  readonly clock: Clock
  readonly budgets?: Omit<SshBudgets, 'commandMs'>
}

export interface Ask {
  readonly command: string
  readonly marker: string
  readonly stdin: Uint8Array
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: OutputListener | undefined
}

export interface Contact {
  readonly result: RemoteResult
  readonly answer: HostAnswer
  /** When the host said its last word. */
  readonly answeredAtMs: number
}

export const defaultBudgets = { connectMs: 15_000, handshakeMs: 20_000, authMs: 20_000 }
/** What a contact may take beyond the time it waits for the run. */
export const overheadMs = 20_000
/** The answer is read as it comes; this is kept to tell what a login said instead of one. */
export const maxOutputBytes = 64 * 1024
/** Both streams as they are followed live, the tails of both, and many times the noise of a login. */
export const maxReceivedBytes = 16 * 1024 * 1024

export async function contactHost(
  options: ContactOptions,
  target: SshTarget,
  question: Ask,
): Promise<Contact> {
  const reader = makeAnswerReader(question.marker, question.onOutput)
  let answeredAtMs = options.clock.nowMs()
  const result = await options.shell.run(target, {
    command: question.command,
    stdin: question.stdin,
    maxOutputBytes,
    maxReceivedBytes,
    budgets: { ...(options.budgets ?? defaultBudgets), commandMs: question.waitMs + overheadMs },
    ...(question.signal && { signal: question.signal }),
    onOutput(stream, chunk) {
      if (stream === 'stderr') return
      answeredAtMs = options.clock.nowMs()
      reader.push(chunk)
    },
  })
  return { result, answer: reader.answer(), answeredAtMs }
}

/** Contact ended at a point where nobody can say what the host did. */
export function lostContact(
  label: string,
  { result, answer }: Contact,
): { readonly kind: 'indeterminate'; readonly message: string } {
  const state = answer.sections.has('started') ? 'after it was started' : 'before it answered'
  const message = `Cannot follow the run on "${label}": contact ended (${result.reason}) ${state}, attach to it again`
  return { kind: 'indeterminate', message }
}
