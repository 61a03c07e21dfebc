// `serverless offline` as a child process: the functions get threads of their own, and one that dies takes nothing else with
// it. What it prints goes to a file; it tells over IPC when every function is warm.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import type { LocalStackReady } from '../plugin/plugin.ts'
import type { CreatedResources } from '../plugin/intrinsics.ts'

export interface FunctionsOptions {
  /** Folder of serverless.yml. */
  readonly projectFolder: string
  readonly logFile: string
  /** The whole environment of the child. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Everything that the functions log, line by line, as it goes into the file. */
  readonly onLine?: (line: string) => void
  /** Told once if the child ends without having been asked to. */
  readonly onUnexpectedEnd: (exitCode: number | null) => void
}

export interface RunningFunctions {
  readonly resources: CreatedResources
  stop(): Promise<void>
}

// What an invocation was doing goes on in the next start: every step of it can be taken again.
const patienceMs = 3_000

/** Throws if the functions do not come up; the log file says why. */
export async function startFunctions(options: FunctionsOptions): Promise<RunningFunctions> {
  const serverless = join(
    dirname(createRequire(import.meta.url).resolve('serverless/package.json')),
    'bin/serverless.js',
  )
  const child = fork(serverless, ['offline', 'start'], {
    cwd: options.projectFolder,
    env: options.environment,
    // Ctrl-C in a terminal reaches us only; the child ends when we say so, or when we are gone.
    detached: true,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const log = createWriteStream(options.logFile)
  child.stdout?.pipe(log)
  child.stderr?.pipe(log)
  const { onLine } = options
  if (onLine !== undefined && child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', onLine)
  let isStopping = false
  const ended = once(child, 'exit').then(([exitCode]: unknown[]) => Number(exitCode))
  const ready = once(child, 'message').then(([message]: unknown[]) => (message as LocalStackReady).resources)
  const resources = await Promise.race([ready, ended])
  if (typeof resources === 'number') {
    throw new Error(
      `Cannot start the functions: "serverless offline" ended with exit code ${resources}, see ${options.logFile}`,
    )
  }
  void ended.then((exitCode) => {
    if (!isStopping) options.onUnexpectedEnd(exitCode)
  })
  return {
    resources,
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(timer)
    },
  }
}
