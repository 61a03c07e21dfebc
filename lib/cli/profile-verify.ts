import { makeSystemClock } from '../adapters/node/clock.ts'
import { formatInstant } from '../api/rfc3339.ts'
import { checkSigned } from '../profile/manifest/check-signed.ts'
import type { Profile } from '../profile/profile.ts'
import { scriptPhases, type ScriptPhase } from '../profile/script-phase.ts'
import type { Command } from './command.ts'
import { readProfile } from './read-profile.ts'
import { readSignerLines } from './read-signers.ts'
import { renderTable, type Column } from './render-table.ts'

const wrongExitCode = 77

/** One thing that is signed, or should be. */
interface Row {
  readonly phase: ScriptPhase
  readonly what: 'manifest' | 'script'
  /** `right`, or why it is not. */
  readonly result: string
  readonly message: string | undefined
  readonly signer: string | undefined
  readonly serial: number | undefined
  readonly notBefore: string | undefined
  readonly notAfter: string | undefined
}

export const profileVerifyCommand: Command = {
  noun: 'profile',
  verb: 'verify',
  summary: 'Says whether everything that a profile runs is signed by whom you trust.',
  positionals: [{ name: 'PROFILE', meaning: 'The folder of a profile, or a file, YAML or JSON.' }],
  options: [
    {
      name: 'signer',
      value: 'KEYS',
      isRequired: true,
      meaning:
        'Whom you trust: a public key line, or a file of them, as in authorized_keys or allowed_signers.',
    },
    { name: 'name', value: 'NAME', meaning: 'The profile to take, where the file holds several.' },
    { name: 'json', meaning: 'All that was checked as JSON.' },
  ],
  notes: [
    'Checks what the control plane checks before it connects to a host, with these signers and at this time. Ends with 0 only if every script has something that is right and nothing that is wrong, with 77 otherwise.',
  ],
  async run({ positionals: [path = ''], values, switches }, console) {
    const trustedSigners = await readSignerLines(values['signer'] ?? '')
    const profile = await readProfile(path, values['name'])
    const rows = rowsOf(profile, trustedSigners, makeSystemClock().nowMs())
    const wrong = rows.filter(({ message }) => message !== undefined)
    if (switches.has('json')) console.out(`${JSON.stringify(rows, undefined, 2)}\n`)
    else console.out(renderTable(columns, rows, console.width))
    for (const { message } of wrong) console.note(`${message ?? ''}\n`)
    if (wrong.length > 0) return wrongExitCode
    console.note(`Everything is signed${warningOf(rows)}\n`)
    return 0
  },
}

const columns: readonly Column<Row>[] = [
  { title: 'PHASE', text: ({ phase }) => phase },
  { title: 'SIGNED', text: ({ what }) => what },
  { title: 'RESULT', text: ({ result }) => result },
  { title: 'UNTIL', text: ({ notAfter = '' }) => notAfter },
  { title: 'SERIAL', text: ({ serial = '' }) => String(serial) },
  { title: 'SIGNER', text: ({ signer = '' }) => signer },
]

function rowsOf(profile: Profile, trustedSigners: readonly string[], nowMs: number): readonly Row[] {
  const { metadata, spec } = profile
  return scriptPhases.flatMap((phase) => {
    const script = spec.scripts[phase]
    if (script === undefined) return []
    const run = { profile: metadata.name, version: spec.version ?? '', phase, script, trustedSigners, nowMs }
    const [manifest, signature] = [spec.manifests?.[phase], spec.signatures?.[phase]]
    return [
      ...(manifest || !signature ? [rowOf(phase, 'manifest', checkSigned({ ...run, manifest }))] : []),
      ...(signature ? [rowOf(phase, 'script', checkSigned({ ...run, signature }))] : []),
    ]
  })
}

function rowOf(phase: ScriptPhase, what: Row['what'], checked: ReturnType<typeof checkSigned>): Row {
  const isRight = checked.kind === 'ok'
  const manifest = isRight ? checked.manifest : undefined
  return {
    phase,
    what,
    result: isRight ? 'right' : checked.reason,
    message: isRight ? undefined : checked.message,
    signer: isRight ? checked.signer : undefined,
    serial: manifest?.serial,
    notBefore: manifest && formatInstant(manifest.notBeforeMs),
    notAfter: manifest && formatInstant(manifest.notAfterMs),
  }
}

function warningOf(rows: readonly Row[]): string {
  const hasManifest = (phase: ScriptPhase) =>
    rows.some((row) => row.phase === phase && row.what === 'manifest')
  const alone = rows.filter(({ phase }) => !hasManifest(phase)).map(({ phase }) => phase)
  if (alone.length === 0) return ''
  return `, but ${alone.join(', ')} without a manifest: such a script can be run again and again, and as another phase`
}
