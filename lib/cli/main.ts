import { commands } from './commands.ts'
import { makeConsole } from './console.ts'
import { runCommandLine } from './run-command-line.ts'

/** Runs one command line and ends the process: nothing that is still open may keep it alive. */
export async function main(words: readonly string[]): Promise<void> {
  const console = makeConsole(process)
  const code = await runCommandLine(commands, words, console)
  await console.drain()
  process.exit(code)
}
