import { writeFile } from 'node:fs/promises'
import { SpecError } from '../errors/spec-error.ts'
import { buildProfile } from './build-profile.ts'
import type { Command } from './command.ts'

export const profileBuildCommand: Command = {
  noun: 'profile',
  verb: 'build',
  summary: 'Makes one manifest of a profile that is kept as a folder.',
  positionals: [
    {
      name: 'DIR',
      meaning: 'Has profile.yaml, install.sh, join.sh and leave.sh, and uninstall.sh if there is one.',
    },
  ],
  options: [{ name: 'out', value: 'FILE', meaning: 'Write it there instead of to stdout.' }],
  notes: [
    'The manifest holds the scripts byte for byte. What a cluster would refuse or misunderstand is refused here: a script that is missing, a field that nobody knows, a var that scripts read and spec.parameters does not declare, a default that does not fit. Habits are for lint.',
  ],
  async run({ positionals: [folder = ''], values: { out } }, console) {
    const { text } = await buildProfile(folder)
    if (out === undefined) console.out(text)
    else await write(out, text)
    return 0
  },
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SpecError(
      `Cannot write "${file}": it cannot be opened (${code}), give a path that can be written`,
      {
        reason: 'FileUnwritable',
        cause: error,
      },
    )
  })
}
