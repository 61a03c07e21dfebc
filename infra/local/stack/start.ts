// npm start
import { readEnvironment } from '../../../lib/runtime/environment.ts'
import { readStartOptions, usage } from './options.ts'
import { runUntilStopped } from './run-until-stopped.ts'

try {
  const options = readStartOptions(process.argv.slice(2), readEnvironment())
  if (options.isHelp) console.log(usage)
  else process.exitCode = await runUntilStopped(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
