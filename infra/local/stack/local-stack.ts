// Everything that kpssh is, on this machine: queues and a table in this process, the functions in `serverless offline`
// beside it, the watcher here again. The cluster and its hosts come from elsewhere.
import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { kubeconfigConnection } from '../../../lib/adapters/kubernetes/connection.ts'
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import { makeSystemRandom } from '../../../lib/adapters/node/random.ts'
import { defaultWatcherSettings, type WatcherSettings } from '../../../lib/watcher/start-watcher.ts'
import { watchCluster } from '../../../lib/watcher/watch-cluster.ts'
import { startQueues } from '../emulators/start-queues.ts'
import { startTable } from '../emulators/start-table.ts'
import type { CreatedResources } from '../plugin/intrinsics.ts'
import { makeClosers } from './closers.ts'
import { lockFolder } from './folder-lock.ts'
import { functionEnvironment, region } from './function-environment.ts'
import { startFunctions } from './functions-process.ts'
import { makeLineLog } from './line-log.ts'
import { writeLocalFile, type LocalFile } from './local-file.ts'
import { makeLocalSender } from './local-sender.ts'
import { narrate } from './narrate.ts'
import type { Terminal } from './terminal.ts'

export interface StackCluster {
  readonly name: string
  /** Names the folder that keeps this cluster's table. */
  readonly uid: string
  /** Path of a kubeconfig. */
  readonly kubeconfig: string
  readonly context?: string
  readonly namespace: string
}

export interface LocalStackOptions {
  readonly cluster: StackCluster
  readonly terminal: Terminal
  /** Of serverless.yml. Default: this project. */
  readonly projectFolder?: string
  /** Relative to it: the table, logs, bundles and local.json. Default `.kpssh`. */
  readonly stateFolder?: string
  /** False for a table that is gone with the process. Default true. */
  readonly keepsTable?: boolean
  /** Replaces the declared rate of the guard. */
  readonly guardSeconds?: number
  /** Replaces the watcher's 30 s. */
  readonly heartbeatSeconds?: number
  /** True to tell the terminal what the functions do. */
  readonly narrates?: boolean
  readonly onUnexpectedEnd: (what: string) => void
}

export interface LocalStack {
  readonly local: LocalFile
  /** Ends all of it. */
  stop(): Promise<void>
}

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const closers = makeClosers((message) => options.terminal.say(message))
  try {
    const local = await start(options, (name, close) => closers.add(name, close))
    return { local, stop: () => closers.closeAll() }
  } catch (error) {
    await closers.closeAll()
    throw error
  }
}

type AddCloser = (name: string, close: () => Promise<unknown>) => void

async function start(options: LocalStackOptions, add: AddCloser): Promise<LocalFile> {
  const { cluster, terminal } = options
  const project = options.projectFolder ?? resolve(import.meta.dirname, '../../..')
  const state = join(project, options.stateFolder ?? '.kpssh')
  add('lock', await lockFolder(state))

  const queues = await startQueues()
  add('queue emulator', () => queues.stop())
  const folder = options.keepsTable === false ? undefined : join(state, 'tables', cluster.uid)
  const table = await startTable(folder === undefined ? {} : { folder })
  add('table emulator', () => table.stop())
  terminal.say(
    `queues ${queues.endpoint}, table ${table.endpoint}${folder === undefined ? '' : `, kept in ${folder}`}`,
  )

  const logFile = join(state, 'functions.log')
  const functions = await startFunctions({
    projectFolder: project,
    logFile,
    ...(options.narrates === true ? { onLine: narrator(terminal) } : {}),
    environment: functionEnvironment({
      ...options,
      queueEndpoint: queues.endpoint,
      tableEndpoint: table.endpoint,
    }),
    onUnexpectedEnd: (exitCode) =>
      options.onUnexpectedEnd(`the functions ended with exit code ${exitCode}, see ${logFile}`),
  })
  add('functions', () => functions.stop())
  terminal.say(`functions are warm, their log is ${logFile}`)

  const local = localFileOf(options, functions.resources, {
    queueEndpoint: queues.endpoint,
    endpoint: table.endpoint,
  })
  add('local.json', await writeLocalFile(join(state, 'local.json'), local))
  startWatching(local, { options, logFile: join(state, 'watcher.log'), add })
  terminal.say(`watching cluster "${cluster.name}"`)
  return local
}

function narrator(terminal: Terminal): (line: string) => void {
  return (line) => {
    const told = narrate(line)
    if (told !== undefined) terminal.say(told)
  }
}

function localFileOf(
  { cluster }: LocalStackOptions,
  resources: CreatedResources,
  endpoints: Pick<LocalFile, 'endpoint' | 'queueEndpoint'>,
): LocalFile {
  const ref = (logicalID: string): string => {
    const resource = resources[logicalID]
    if (resource === undefined)
      throw new Error(`Cannot find "${logicalID}" among the created resources, declare it in infra/resources`)
    return resource.ref
  }
  return {
    ...endpoints,
    region,
    tableName: ref('StateTable'),
    queues: {
      events: ref('EventsQueue'),
      install: ref('InstallQueue'),
      join: ref('JoinQueue'),
      leave: ref('LeaveQueue'),
      probe: ref('ProbeQueue'),
    },
    cluster: cluster.name,
    pool: cluster.name,
    namespace: cluster.namespace,
    kubeconfig: cluster.kubeconfig,
  }
}

function startWatching(
  local: LocalFile,
  {
    options,
    logFile,
    add,
  }: { readonly options: LocalStackOptions; readonly logFile: string; readonly add: AddCloser },
): void {
  const { kubeconfig, context } = options.cluster
  const log = createWriteStream(logFile)
  const watcher = watchCluster(
    {
      cluster: local.cluster,
      connection: kubeconfigConnection({ file: kubeconfig, ...(context === undefined ? {} : { context }) }),
      sender: makeLocalSender(local),
      clock: makeSystemClock(),
      random: makeSystemRandom(),
      log: makeLineLog(log, 'watcher'),
    },
    pacingOf(options),
  )
  add('watcher', async () => {
    await watcher.stop()
    log.end()
  })
}

function pacingOf({ heartbeatSeconds }: LocalStackOptions): Partial<WatcherSettings> {
  if (heartbeatSeconds === undefined) return {}
  const { pacing } = defaultWatcherSettings
  return { pacing: { ...pacing, heartbeatMs: heartbeatSeconds * 1000 } }
}
