import type { Command } from './command.ts'
import { readProfiles, type Finding } from './read-profile.ts'

export const profileLintCommand: Command = {
  noun: 'profile',
  verb: 'lint',
  summary: 'Checks profiles before a cluster does.',
  positionals: [{ name: 'FILE', meaning: 'YAML or JSON, one or more documents in each.', isMany: true }],
  options: [{ name: 'json', meaning: 'The findings as JSON.' }],
  notes: [
    'Errors are what makes a node class NotReady, and end with exit code 65; warnings are habits that end badly on a host.',
  ],
  async run({ positionals, switches }, console) {
    const findings: Finding[] = []
    for (const file of positionals) {
      for (const document of await readProfiles(file)) findings.push(...document.findings)
    }
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (switches.has('json')) console.out(`${JSON.stringify(findings, undefined, 2)}\n`)
    else for (const finding of findings) console.out(`${findingText(finding)}\n`)
    console.note(`${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}\n`)
    return errors > 0 ? 65 : 0
  },
}

function findingText({ file, line, severity, phase, scriptLine, message, reason }: Finding): string {
  const where = phase === undefined ? '' : `${phase}${scriptLine ? ` line ${scriptLine}` : ''}: `
  return `${file}:${line}: ${severity}: ${where}${message} (${reason})`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
