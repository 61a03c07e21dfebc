import type { ProfileParameter } from '../api/ssh-join-profile.ts'
import { agentUnits, timeoutMs } from '../profile/profile.ts'
import { scriptPhases } from '../profile/script-phase.ts'
import type { Command } from './command.ts'
import { shippedProfile, type ShippedProfile } from './shipped-profiles.ts'

export const profileShowCommand: Command = {
  noun: 'profile',
  verb: 'show',
  summary: 'Shows a profile that comes with kpssh: its vars, units, timeouts.',
  positionals: [{ name: 'NAME', meaning: 'As profile list has it.' }],
  options: [{ name: 'json', meaning: 'All of it as JSON, without the scripts.' }],
  notes: ['What each phase changes and leaves behind is in the README of its folder.'],
  async run({ positionals: [name = ''], switches }, console) {
    const profile = await shippedProfile(name)
    console.out(switches.has('json') ? `${JSON.stringify(plain(profile), undefined, 2)}\n` : shown(profile))
    return 0
  },
}

function plain({ name, folder, purpose, manifest: { spec } }: ShippedProfile) {
  const { version, timeouts, parameters = [] } = spec
  return { name, version, folder, purpose, agentUnits: spec.agentUnits, timeouts, parameters }
}

function shown({ name, folder, purpose, manifest }: ShippedProfile): string {
  const phases = scriptPhases.filter((phase) => manifest.spec.scripts[phase] !== undefined)
  const times = phases.map((phase) => `${phase} ${timeoutMs(manifest, phase) / 60_000} min`)
  return [
    `${name}, version ${manifest.spec.version}: ${purpose}`,
    '',
    `Folder        ${folder}`,
    `Agent units   ${agentUnits(manifest).join(', ')}`,
    `Time          ${times.join(', ')}`,
    '',
    'Vars of a node class:',
    ...(manifest.spec.parameters ?? []).flatMap(parameterLines),
    '',
    'To have it in a cluster:',
    `  kpssh profile build ${folder} | kubectl apply -f -`,
    '',
  ].join('\n')
}

function parameterLines({
  name,
  type,
  default: value,
  meaning = '',
  pattern,
}: ProfileParameter): readonly string[] {
  const given = value === undefined ? 'must be set' : `default ${value === '' ? 'empty' : value}`
  const form = pattern === undefined ? '' : `, matches ${pattern}`
  return [`  ${name}  ${type}, ${given}${form}`, `      ${meaning}`]
}
