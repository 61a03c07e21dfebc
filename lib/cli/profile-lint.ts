import type { Command } from './command.ts'
import type { Finding } from './examine-profile.ts'
import { readProfiles } from './read-profile.ts'

export const profileLintCommand: Command = {
  noun: 'profile',
  verb: 'lint',
  summary: 'Checks profiles before a cluster does.',
  positionals: [
    {
      name: 'PROFILE',
      meaning: 'A file, YAML or JSON, with one or more documents, or the folder of a profile.',
      isMany: true,
    },
  ],
  options: [{ name: 'json', meaning: 'The findings as JSON.' }],
  notes: [
    'Each finding has its line, the rule that found it, why it matters and what to write instead. Errors end with exit code 65: a cluster refuses the profile, or a host ends badly with it. Warnings end with 0.',
    'A comment on the line, or alone above it, allows what a rule finds there, with a reason: # kpssh-lint: allow Appends -- nobody else writes this file. docs/profiles.md has all rules.',
  ],
  async run({ positionals, switches }, console) {
    const findings: Finding[] = []
    for (const path of positionals) {
      for (const document of await readProfiles(path)) findings.push(...document.findings)
    }
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (switches.has('json')) console.out(`${JSON.stringify(findings, undefined, 2)}\n`)
    else for (const finding of findings) console.out(findingText(finding))
    console.note(`${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}\n`)
    return errors > 0 ? 65 : 0
  },
}

/** The first line is what editors jump by; what is below it is for people. */
function findingText(finding: Finding): string {
  const { file, line, severity, message, reason, explanation, fix } = finding
  const advice = [explanation, fix].filter((text) => text !== undefined).map((text) => `  ${text}\n`)
  return `${file}:${line}: ${severity}: ${placeText(finding)}${message} (${reason})\n${advice.join('')}`
}

/** Where the line of the file is not that of the script. */
function placeText({ line, phase, scriptLine = 0 }: Finding): string {
  if (phase === undefined || line === scriptLine) return ''
  return scriptLine === 0 ? `${phase}: ` : `${phase} line ${scriptLine}: `
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
