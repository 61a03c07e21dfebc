// The whole of kpssh on this machine, playing the scenario. Exit code 0 only if everything came out as it must.
import { createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeClosers } from '../stack/closers.ts'
import { makeLineLog } from '../stack/line-log.ts'
import { startLocalStack } from '../stack/local-stack.ts'
import { makeTerminal } from '../stack/terminal.ts'
import { startDemoWorld } from './demo-world.ts'
import { countInstalls } from './count-installs.ts'
import { playScenario } from './scenario.ts'
import { startSpectator } from './spectator.ts'
import { makeTimeline } from './timeline.ts'

const projectFolder = resolve(import.meta.dirname, '../../..')
/** Apart from what a running `npm start` keeps, so that both may run. */
const stateFolder = '.kpssh/demo'

export async function runDemo(): Promise<number> {
  const folder = join(projectFolder, stateFolder)
  await mkdir(folder, { recursive: true })
  const terminal = makeTerminal({ isYes: true, startedAtMs: Date.now() })
  const closers = makeClosers((message) => terminal.say(message))
  const interrupted = Promise.withResolvers<never>()
  interrupted.promise.catch(() => undefined)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.reject(new Error(`the demo was ended by ${signal}`)))
  }
  try {
    await Promise.race([play(folder, { terminal, closers, fail: interrupted.reject }), interrupted.promise])
    return 0
  } catch (error) {
    console.error(
      `\nThe demo did not come out right: ${error instanceof Error ? error.message : String(error)}`,
    )
    console.error(await lastLines(join(folder, 'functions.log')))
    return 1
  } finally {
    await closers.closeAll()
  }
}

interface Companions {
  readonly terminal: ReturnType<typeof makeTerminal>
  readonly closers: ReturnType<typeof makeClosers>
  readonly fail: (error: Error) => void
}

async function play(folder: string, { terminal, closers, fail }: Companions): Promise<void> {
  const logFile = createWriteStream(join(folder, 'demo.log'))
  closers.add('log', () => new Promise((done) => logFile.end(done)))
  const world = await startDemoWorld({
    name: 'demo',
    namespace: 'kpssh-system',
    stateFolder: folder,
    terminal,
    log: makeLineLog(logFile, 'demo'),
  })
  closers.add('demo world', () => world.close())
  const stack = await startLocalStack({
    cluster: world.cluster,
    terminal,
    projectFolder,
    stateFolder,
    keepsTable: false,
    guardSeconds: 4,
    heartbeatSeconds: 4,
    onUnexpectedEnd: (what) => fail(new Error(what)),
  })
  closers.add('stack', () => stack.stop())
  const timeline = makeTimeline({ nowMs: Date.now, write: (line) => console.log(line) })
  const spectator = await startSpectator(world.kubernetes, timeline)
  closers.add('spectator', () => spectator.close())
  await world.addPool()
  const installsOf = countInstalls(stack.local, world.cluster.namespace)
  await playScenario({ ...world, timeline, spectator, installsOf })
}

async function lastLines(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').slice(-40).join('\n')
}
