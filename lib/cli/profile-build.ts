import { buildProfile } from './build-profile.ts'
import type { Command } from './command.ts'
import { writeOutput } from './write-output.ts'

export const profileBuildCommand: Command = {
  noun: 'profile',
  verb: 'build',
  summary: 'Makes one manifest of a profile that is kept as a folder.',
  positionals: [
    {
      name: 'DIR',
      meaning:
        'Has profile.yaml, install.sh, join.sh and leave.sh, and uninstall.sh and signatures.yaml if there are any.',
    },
  ],
  options: [{ name: 'out', value: 'FILE', meaning: 'Write it there instead of to stdout.' }],
  notes: [
    'The manifest holds the scripts byte for byte. What a cluster would refuse or misunderstand is refused here: a script that is missing, a field that nobody knows, a var that scripts read and spec.parameters does not declare, a default that does not fit, a signature of what was changed since. Habits are for lint.',
  ],
  async run({ positionals: [folder = ''], values: { out } }, console) {
    const { text } = await buildProfile(folder)
    if (out === undefined) console.out(text)
    else await writeOutput(out, text)
    return 0
  },
}
