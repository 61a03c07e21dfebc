// What the local stack says to the person who started it: plain lines with the time since the start.
import { createInterface } from 'node:readline/promises'

export interface Terminal {
  say(line: string): void
  /** False when nobody can be asked. */
  ask(question: string): Promise<boolean>
}

export function makeTerminal(options: { readonly isYes: boolean; readonly startedAtMs: number }): Terminal {
  const { stdin, stdout } = process
  function say(line: string): void {
    const seconds = ((Date.now() - options.startedAtMs) / 1000).toFixed(1)
    stdout.write(`${seconds.padStart(7)} s  ${line}\n`)
  }
  return {
    say,
    async ask(question) {
      if (options.isYes) {
        say(`${question} Yes, as --yes says.`)
        return true
      }
      if (!stdin.isTTY) return false
      const lines = createInterface({ input: stdin, output: stdout })
      const answer = await lines.question(`${question} [y/N] `)
      lines.close()
      return /^y(es)?$/i.test(answer.trim())
    },
  }
}
