import type { Command } from './command.ts'
import { renderTable, type Column } from './render-table.ts'
import { shippedProfiles, type ShippedProfile } from './shipped-profiles.ts'

export const profileListCommand: Command = {
  noun: 'profile',
  verb: 'list',
  summary: 'Lists the profiles that come with kpssh.',
  positionals: [],
  options: [{ name: 'json', meaning: 'Names, versions, folders and purposes as JSON.' }],
  notes: [],
  async run({ switches }, console) {
    const profiles = await shippedProfiles()
    if (switches.has('json')) console.out(`${JSON.stringify(profiles.map(briefly), undefined, 2)}\n`)
    else console.out(renderTable(columns, profiles, console.width))
    return 0
  },
}

const columns: readonly Column<ShippedProfile>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'VERSION', text: ({ manifest }) => manifest.spec.version },
  { title: 'PURPOSE', text: ({ purpose }) => purpose },
]

function briefly({ name, folder, purpose, manifest }: ShippedProfile) {
  return { name, version: manifest.spec.version, folder, purpose }
}
