import { readConfig } from '../runtime/read-config.ts'
import { readEnvironment } from '../runtime/environment.ts'
import { composeWatcher } from './compose.ts'
import { WatcherConfig } from './config.ts'

// No top-level await: the image's bundle is CommonJS, in which built-in modules load a third of the memory less.
const starting = composeWatcher(readConfig(WatcherConfig, readEnvironment()))
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void starting.then((watcher) => watcher.stop()))
}
