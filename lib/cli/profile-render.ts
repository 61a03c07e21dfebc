import { exportLines } from '../profile/raw-preamble.ts'
import { renderPhase } from '../profile/render-phase.ts'
import { parseScriptPhase } from '../profile/script-phase.ts'
import type { Command } from './command.ts'
import { readContext } from './read-input.ts'
import { readProfile } from './read-profile.ts'

export const profileRenderCommand: Command = {
  noun: 'profile',
  verb: 'render',
  summary: 'Prints a script as a host would get it.',
  positionals: [
    { name: 'PROFILE', meaning: 'A file, YAML or JSON, or the folder of a profile.' },
    { name: 'PHASE', meaning: 'install, join, leave or uninstall.' },
  ],
  options: [
    {
      name: 'context',
      value: 'CTX.json',
      isRequired: true,
      meaning:
        'What is known of the join: one object with ClusterEndpoint, ClusterCACert, BootstrapToken, NodeName, ProviderID, NodeLabels, RegisterWithTaints, HostAddress, NodeAddress, Vars and Secrets; what is left out is empty.',
    },
    { name: 'env', meaning: 'Print the exported environment instead.' },
    { name: 'name', value: 'NAME', meaning: 'The profile to take, where the file holds several.' },
    { name: 'json', meaning: 'Script, environment, timeout and marker as JSON.' },
  ],
  notes: [
    'Each phase sees its part of the context: install no token, leave and uninstall the two addresses only. What is printed holds the secrets of the context.',
  ],
  async run({ positionals: [path = '', phaseText = ''], values, switches }, console) {
    const phase = parseScriptPhase(phaseText)
    const profile = await readProfile(path, values['name'])
    const rendered = renderPhase(profile, phase, await readContext(values['context'] ?? ''))
    if (switches.has('json')) console.out(`${JSON.stringify(rendered, undefined, 2)}\n`)
    else if (switches.has('env')) console.out(exportLines(rendered.environment).join('\n') + '\n')
    else console.out(rendered.script)
    return 0
  },
}
