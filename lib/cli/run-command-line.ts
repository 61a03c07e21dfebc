// The one place where a command's errors become a message and an exit code.
import { ControlPlaneError } from '../errors/control-plane-error.ts'
import { exitCodeOf } from '../errors/disposition.ts'
import { UsageError, usageExitCode, type Command } from './command.ts'
import type { Console } from './console.ts'
import { parseCommandLine } from './parse-command-line.ts'

export async function runCommandLine(
  commands: readonly Command[],
  words: readonly string[],
  console: Console,
): Promise<number> {
  try {
    const parsed = parseCommandLine(commands, words)
    if (parsed.kind === 'run') return await parsed.command.run(parsed.args, console)
    console.out(parsed.text)
    return 0
  } catch (error) {
    console.note(`kpssh: ${explain(error)}\n`)
    return error instanceof UsageError ? usageExitCode : exitCodeOf(error)
  }
}

/** Our own errors say what to do; anything else is a bug, and its stack says where. */
function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ControlPlaneError) return error.message
  return error instanceof Error ? `Unexpected: ${error.stack ?? error.message}` : 'Unexpected failure'
}
