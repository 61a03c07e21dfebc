// A phase as a process of the machine: started inside of its namespaces, watched step by step, ended as a whole.
import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import type { Clock } from '../../ambient/ports.ts'
import type { PhaseEnd, Step } from '../../proof/ports.ts'

export interface ProcessToRun {
  /** Of the machine's first process, as this program sees it. */
  readonly initPid: number
  /** A program of the machine and its arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly stdin?: string
  /** Asked before every step; without it nothing waits. */
  readonly answer?: ((step: Step) => Promise<'go on' | 'kill'>) | undefined
}

/** Kept of what a phase prints: as much from its beginning as from its end. */
const keptOutputBytes = 512 * 1024
/** Daemons may hold the output of a phase open after its end. */
const afterEndMs = 500
/**
 * What a phase has no business with, on a machine whose kernel is not its own. Mounting stays, since leave must undo mounts.
 */
const droppedCapabilities = '-sys_module,-sys_boot,-sys_time,-sys_rawio,-mknod,-syslog'

/**
 * Resolves when the process has ended, by itself or killed with all that it started in its session. Throws what `answer` has
 * thrown, once it has ended.
 */
export async function runProcess(clock: Clock, process: ProcessToRun): Promise<PhaseEnd> {
  const child = spawn('nsenter', nsenterArguments(process), {
    env: { ...process.environment },
    // A session of its own: by it, everything that the phase started is found.
    detached: true,
    stdio: [process.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const output = keepOutput(child)
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', (code) => resolve(code ?? undefined))
  })
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(process.stdin)
  let isKilled = false
  const kill = (): void => {
    isKilled = true
    killSession(child.pid)
  }
  const done = new AbortController()
  void clock.wait(process.timeoutMs, done.signal).then(() => {
    if (!done.signal.aborted) kill()
  })
  const answered = answerSteps(child, process.answer, kill)
  const exitCode = await ended
  done.abort()
  await output.closed(clock)
  for (const stream of child.stdio) stream?.destroy()
  await answered()
  return {
    ...(!isKilled && exitCode !== undefined && { exitCode }),
    output: output.text(),
  }
}

function nsenterArguments({ initPid, command }: ProcessToRun): string[] {
  const spaces = ['--mount', '--pid', '--net', '--uts', '--ipc', '--root', '--wd']
  return [
    `--target=${String(initPid)}`,
    ...spaces,
    '--',
    'setpriv',
    `--bounding-set=${droppedCapabilities}`,
    ...command,
  ]
}

interface Output {
  text(): string
  /** Resolves when nobody can print any more, or nobody did for a while after the end. */
  closed(clock: Clock): Promise<void>
}

function keepOutput(child: ChildProcess): Output {
  const chunks: Buffer[] = []
  let size = 0
  let droppedBytes = 0
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of streams) {
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      // The middle goes: what a phase says first and last is what explains it.
      while (size > 2 * keptOutputBytes && chunks.length > 2) {
        const [dropped] = chunks.splice(Math.floor(chunks.length / 2), 1)
        size -= dropped?.length ?? 0
        droppedBytes += dropped?.length ?? 0
      }
    })
  }
  const closings = streams.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve)))
  return {
    text: () =>
      Buffer.concat(chunks).toString() + (droppedBytes > 0 ? `\n[${droppedBytes} bytes left out]\n` : ''),
    async closed(clock) {
      const patience = new AbortController()
      await Promise.race([Promise.all(closings), clock.wait(afterEndMs, patience.signal)])
      patience.abort()
    },
  }
}

/** Steps come as lines on one pipe; one byte on another lets the process go on. Returns how to wait for all answers. */
function answerSteps(
  child: ChildProcess,
  answer: ProcessToRun['answer'],
  kill: () => void,
): () => Promise<void> {
  const [, , , questions, answers] = child.stdio
  if (!(questions instanceof Readable) || !(answers instanceof Writable)) return () => Promise.resolve()
  questions.on('error', () => undefined)
  answers.on('error', () => undefined)
  let index = 0
  let rest = ''
  let queue = Promise.resolve()
  questions.setEncoding('utf8')
  questions.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      queue = queue.then(async () => {
        const verdict = answer ? await answer(parseStep(line, index)) : 'go on'
        index += 1
        if (verdict === 'kill') kill()
        else answers.write('.')
      })
      queue.catch(kill)
    }
  })
  return () => queue
}

function parseStep(line: string, index: number): Step {
  const [, number = '0', command = ''] = /^(\d+) (.*)$/.exec(line) ?? []
  return { index, line: Number(number), command }
}

/** Also what left the group of its session's leader; what began a session of its own is a daemon and stays. */
function killSession(session: number | undefined): void {
  if (session === undefined) return
  // Again until none is left: what is being killed may be starting others.
  for (let round = 0; round < 50; round += 1) {
    const members = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && sessionOf(pid) === session)
    if (members.length === 0) return
    for (const pid of members) sendKill(Number(pid))
  }
}

function sessionOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : Number(session)
  } catch {
    return undefined
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
