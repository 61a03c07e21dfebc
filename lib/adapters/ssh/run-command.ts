// One command over one channel of an authenticated connection. Before it was started a failure is an error; afterwards
// there is always a result, and what is not known in it is left out.
import type { ClientChannel } from 'ssh2'
import type { Clock } from '../../ambient/ports.ts'
import type { RemoteCommand, RemoteReason, RemoteResult, SshTarget } from '../../execution/ports.ts'
import { makeBoundedOutput } from './bounded-output.ts'
import { giveUp } from './give-up.ts'
import type { Connection } from './open-connection.ts'
import { type Cause, translateError } from './translate-error.ts'

/** How long a channel whose command has ended may stay silent before it is left: a daemon may hold it open for ever. */
const silenceMs = 2000

export interface Errand {
  readonly target: SshTarget
  readonly command: RemoteCommand
}

interface Ending {
  readonly reason: RemoteReason
  readonly exitCode?: number
  readonly signal?: string
}

type OnData = (stream: 'stdout' | 'stderr', chunk: Buffer) => void

export async function runCommand(
  clock: Clock,
  connection: Connection,
  errand: Errand,
): Promise<RemoteResult> {
  const { command } = errand
  const stdout = makeBoundedOutput(command.maxOutputBytes)
  const stderr = makeBoundedOutput(command.maxOutputBytes)
  const { startedMs, ended } = await startCommand(clock, { connection, errand }, (stream, chunk) => {
    const kept = stream === 'stdout' ? stdout : stderr
    kept.push(chunk)
    command.onOutput?.(stream, chunk)
  })
  const ending = await ended
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

interface Talk {
  readonly connection: Connection
  readonly errand: Errand
}

interface Started {
  readonly startedMs: number
  readonly ended: Promise<Ending>
}

function startCommand(clock: Clock, { connection, errand }: Talk, onData: OnData): Promise<Started> {
  const { target, command } = errand
  const budgetMs = command.budgets.handshakeMs
  return new Promise((resolve, reject) => {
    const opened = new AbortController()
    const fail = (cause: Cause) => {
      giveUp(opened)
      reject(translateError(cause, { target, stage: 'channel', sawBanner: true }))
    }
    connection.client.once('close', () => fail({ kind: 'closed' }))
    onFlood({ connection, errand }, () => fail({ kind: 'flood' }))
    void clock
      .wait(budgetMs, opened.signal)
      .then(() => opened.signal.aborted || fail({ kind: 'over', budgetMs }))
    try {
      connection.client.exec(command.command, (error, channel) => {
        if (error) {
          fail({ kind: 'error', error })
          return
        }
        giveUp(opened)
        // Here and not later: what a quick command has already said is told as soon as this returns.
        resolve({
          startedMs: clock.nowMs(),
          ended: untilEnd(clock, { connection, errand }, { channel, onData }),
        })
      })
    } catch (error) {
      fail({ kind: 'error', error })
    }
  })
}

interface Ear {
  readonly channel: ClientChannel
  readonly onData: OnData
}

function untilEnd(clock: Clock, talk: Talk, { channel, onData }: Ear): Promise<Ending> {
  const { connection, errand } = talk
  const { command } = errand
  return new Promise((resolve) => {
    const over = new AbortController()
    let silence = new AbortController()
    let exit: Ending | undefined
    const end = (ending: Ending) => {
      giveUp(over)
      giveUp(silence)
      command.signal?.removeEventListener('abort', onAbort)
      resolve(ending) // the first one counts
    }
    const onAbort = () => end({ reason: 'cancelled' })
    const endAsKnown = () => end(exit ?? { reason: 'disconnected' })
    const awaitSilence = () => {
      giveUp(silence)
      const mine = (silence = new AbortController())
      void clock.wait(silenceMs, mine.signal).then(() => mine.signal.aborted || endAsKnown())
    }
    const listenTo = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
      onData(stream, chunk)
      if (exit !== undefined) awaitSilence()
    }
    channel.on('data', listenTo('stdout'))
    channel.stderr.on('data', listenTo('stderr'))
    channel.on('error', () => undefined)
    onFlood(talk, () => end({ reason: 'output-limit' }))
    channel.on('exit', (code: number | null, signal?: string) => {
      exit = toEnding(code, signal)
      awaitSilence()
    })
    channel.on('close', endAsKnown)
    connection.client.once('close', endAsKnown)
    void clock
      .wait(command.budgets.commandMs, over.signal)
      .then(() => over.signal.aborted || end({ reason: 'timed-out' }))
    command.signal?.addEventListener('abort', onAbort)
    if (command.signal?.aborted === true) onAbort()
    channel.end(Buffer.from(command.stdin))
  })
}

function onFlood({ connection, errand: { command } }: Talk, callback: () => void): void {
  const { maxReceivedBytes = Infinity } = command
  connection.onReceived((bytes) => bytes <= maxReceivedBytes || callback())
}

/** A null code is never success: without a signal it says nothing. */
function toEnding(code: number | null, signal: string | undefined): Ending | undefined {
  if (typeof code === 'number') return { reason: 'exited', exitCode: code }
  return signal === undefined ? undefined : { reason: 'signaled', signal }
}
