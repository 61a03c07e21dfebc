// No top-level await: the image's bundle is CommonJS, in which node:http loads without what nobody asks it for.
import { exitCodeOf } from '../errors/disposition.ts'
import { readConfig } from '../runtime/read-config.ts'
import { readEnvironment } from '../runtime/environment.ts'
import { composeWatcher } from './compose.ts'
import { WatcherConfig } from './config.ts'

async function main(): Promise<void> {
  const watcher = await composeWatcher(readConfig(WatcherConfig, readEnvironment()))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void watcher.stop())
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = exitCodeOf(error)
})
