// One command over one channel of an authenticated connection. Before it was started a failure is an error; afterwards
// there is always a result, and what is not known in it is left out.
import type { ClientChannel } from 'ssh2'
import type { Clock } from '../../ambient/ports.ts'
import type { RemoteCommand, RemoteReason, RemoteResult, SshTarget } from '../../execution/ports.ts'
import { makeBoundedOutput } from './bounded-output.ts'
import type { Connection } from './open-connection.ts'
import { translateError } from './translate-error.ts'

/** How long a channel whose command has ended may stay silent before it is left: a daemon may hold it open for ever. */
const silenceMs = 2000

interface Ending {
  readonly reason: RemoteReason
  readonly exitCode?: number
  readonly signal?: string
}

export async function runCommand(
  clock: Clock,
  connection: Connection,
  { target, command }: { readonly target: SshTarget; readonly command: RemoteCommand },
): Promise<RemoteResult> {
  const channel = await openChannel(clock, connection, { target, command })
  const startedMs = clock.nowMs()
  const stdout = makeBoundedOutput(command.maxOutputBytes)
  const stderr = makeBoundedOutput(command.maxOutputBytes)
  const ending = await untilEnd(clock, connection, {
    channel,
    command,
    onData: (stream, chunk) => {
      ;(stream === 'stdout' ? stdout : stderr).push(chunk)
      command.onOutput?.(stream, chunk)
    },
  })
  return {
    command: command.command,
    ...ending,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.isTruncated() || stderr.isTruncated(),
    durationMs: clock.nowMs() - startedMs,
    hostKeys: connection.hostKeys(),
  }
}

function openChannel(
  clock: Clock,
  connection: Connection,
  { target, command }: { readonly target: SshTarget; readonly command: RemoteCommand },
): Promise<ClientChannel> {
  const at = { target, stage: 'channel', sawBanner: true } as const
  const budgetMs = command.budgets.handshakeMs
  return new Promise((resolve, reject) => {
    const opened = new AbortController()
    const fail = (cause: Parameters<typeof translateError>[0]) => {
      opened.abort()
      reject(translateError(cause, at))
    }
    connection.client.once('close', () => fail({ kind: 'closed' }))
    void clock.wait(budgetMs, opened.signal).then(() => {
      if (!opened.signal.aborted) fail({ kind: 'over', budgetMs })
    })
    try {
      connection.client.exec(command.command, (error, channel) => {
        opened.abort()
        if (error) fail({ kind: 'error', error })
        else resolve(channel)
      })
    } catch (error) {
      fail({ kind: 'error', error })
    }
  })
}

interface Conversation {
  readonly channel: ClientChannel
  readonly command: RemoteCommand
  readonly onData: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
}

function untilEnd(clock: Clock, connection: Connection, talk: Conversation): Promise<Ending> {
  const { channel, command } = talk
  return new Promise((resolve) => {
    const over = new AbortController()
    let silence = new AbortController()
    let exit: Ending | undefined
    const end = (ending: Ending) => {
      over.abort()
      silence.abort()
      command.signal?.removeEventListener('abort', onAbort)
      resolve(ending)
    }
    const onAbort = () => end({ reason: 'cancelled' })
    const listen = () => {
      silence.abort()
      const quiet = (silence = new AbortController())
      void clock.wait(silenceMs, quiet.signal).then(() => {
        if (!quiet.signal.aborted) end(exit ?? { reason: 'disconnected' })
      })
    }
    const onData = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
      talk.onData(stream, chunk)
      if (exit !== undefined) listen()
    }
    channel.on('data', onData('stdout'))
    channel.stderr.on('data', onData('stderr'))
    channel.on('error', () => undefined)
    channel.on('exit', (code: number | null, signal?: string) => {
      exit = toEnding(code, signal)
      listen()
    })
    channel.on('close', () => end(exit ?? { reason: 'disconnected' }))
    connection.client.once('close', () => end(exit ?? { reason: 'disconnected' }))
    void clock.wait(command.budgets.commandMs, over.signal).then(() => {
      if (!over.signal.aborted) end({ reason: 'timed-out' })
    })
    if (command.signal?.aborted === true) onAbort()
    command.signal?.addEventListener('abort', onAbort)
    channel.end(Buffer.from(command.stdin))
  })
}

/** A null code is never success: without a signal it says nothing. */
function toEnding(code: number | null, signal: string | undefined): Ending | undefined {
  if (typeof code === 'number') return { reason: 'exited', exitCode: code }
  return signal === undefined ? undefined : { reason: 'signaled', signal }
}
