// What an offline key signs for one phase of a profile: text, line by line, so that a host can check it with a shell.
// `parseManifest` takes exactly what `writeManifest` makes.
import { SpecError } from '../../errors/spec-error.ts'
import { formatInstant } from '../../api/rfc3339.ts'
import { scriptPhases, type ScriptPhase } from '../script-phase.ts'
import { parsePortablePattern } from './portable-pattern.ts'

export interface Manifest {
  readonly profile: string
  readonly version: string
  readonly phase: ScriptPhase
  /** 64 hexadecimal digits. */
  readonly scriptSha256: string
  /** A host refuses one that is lower than the highest that it accepted for the profile. */
  readonly serial: number
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** What the script may be told, by name; patterns are portable and for whole values. */
  readonly params: readonly ManifestParam[]
}

export interface ManifestParam {
  readonly name: string
  readonly pattern: string
}

export type ParsedManifest =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | { readonly kind: 'malformed'; readonly message: string }

export const longestManifest = 65_536
const heading = 'kpssh-manifest: 1'
const instant = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ'

const fields = [
  ['profile', /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/],
  ['version', /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/],
  ['phase', /^[a-z]+$/],
  ['script-sha256', /^[0-9a-f]{64}$/],
  ['serial', /^[1-9][0-9]{0,15}$/],
  ['not-before', new RegExp(`^${instant}$`)],
  ['not-after', new RegExp(`^${instant}$`)],
] as const
type FieldName = (typeof fields)[number][0]

const param = /^param: (KPSSH_[A-Za-z0-9_]{1,260}) (.+)$/

class ManifestFault extends Error {}

/** Never throws, whatever it is given. */
export function parseManifest(text: string): ParsedManifest {
  try {
    return { kind: 'manifest', manifest: readManifest(text) }
  } catch (error) {
    if (error instanceof ManifestFault) return { kind: 'malformed', message: error.message }
    throw error
  }
}

/** Throws SpecError (ManifestInvalid) for what no manifest can say. */
export function writeManifest(manifest: Manifest): string {
  const params = [...manifest.params].sort((a, b) => (a.name < b.name ? -1 : 1))
  const text = [
    heading,
    `profile: ${manifest.profile}`,
    `version: ${manifest.version}`,
    `phase: ${manifest.phase}`,
    `script-sha256: ${manifest.scriptSha256}`,
    `serial: ${manifest.serial}`,
    `not-before: ${formatInstant(manifest.notBeforeMs)}`,
    `not-after: ${formatInstant(manifest.notAfterMs)}`,
    ...params.map(({ name, pattern }) => `param: ${name} ${pattern}`),
    '',
  ].join('\n')
  const parsed = parseManifest(text)
  if (parsed.kind === 'manifest') return text
  throw new SpecError(
    `Cannot write the manifest of ${manifest.phase} of profile "${manifest.profile}": ${parsed.message}`,
    { reason: 'ManifestInvalid' },
  )
}

function readManifest(text: string): Manifest {
  if (text.length > longestManifest) throw new ManifestFault(`it is longer than ${longestManifest} bytes`)
  if (!/^[\x20-\x7e\n]*$/.test(text))
    throw new ManifestFault('it has characters that are not printable ASCII')
  if (!text.endsWith('\n')) throw new ManifestFault('its last line has no end')
  const [first, ...lines] = text.slice(0, -1).split('\n')
  if (first !== heading) throw new ManifestFault(`its first line must be "${heading}"`)
  const values = readFields(lines.slice(0, fields.length))
  const notBeforeMs = readInstant('not-before', values['not-before'])
  const notAfterMs = readInstant('not-after', values['not-after'])
  if (notAfterMs <= notBeforeMs) throw new ManifestFault('not-after must be later than not-before')
  return {
    profile: values.profile,
    version: values.version,
    phase: readPhase(values.phase),
    scriptSha256: values['script-sha256'],
    serial: readSerial(values.serial),
    notBeforeMs,
    notAfterMs,
    params: readParams(lines.slice(fields.length)),
  }
}

function readFields(lines: readonly string[]): Readonly<Record<FieldName, string>> {
  const values = {
    profile: '',
    version: '',
    phase: '',
    'script-sha256': '',
    serial: '',
    'not-before': '',
    'not-after': '',
  }
  for (const [index, [name, form]] of fields.entries()) {
    const line = lines[index] ?? ''
    const value = line.startsWith(`${name}: `) ? line.slice(name.length + 2) : undefined
    if (value === undefined) throw new ManifestFault(`its line ${index + 2} must be "${name}: …"`)
    if (!form.test(value)) throw new ManifestFault(`its ${name} must match ${form.source}`)
    values[name] = value
  }
  return values
}

function readPhase(text: string): ScriptPhase {
  const phase = scriptPhases.find((known) => known === text)
  if (phase !== undefined) return phase
  throw new ManifestFault(`its phase must be one of ${scriptPhases.join(', ')}`)
}

function readSerial(text: string): number {
  const serial = Number(text)
  if (Number.isSafeInteger(serial)) return serial
  throw new ManifestFault(`its serial must be at most ${Number.MAX_SAFE_INTEGER}`)
}

function readInstant(name: FieldName, text: string): number {
  const atMs = Date.parse(text)
  if (!Number.isNaN(atMs) && formatInstant(atMs) === text) return atMs
  throw new ManifestFault(`its ${name} is no day and time`)
}

function readParams(lines: readonly string[]): readonly ManifestParam[] {
  let last = ''
  return lines.map((line, index) => {
    const [, name = '', pattern = ''] = param.exec(line) ?? []
    const where = `its line ${index + fields.length + 2}`
    if (name === '') throw new ManifestFault(`${where} must be "param: KPSSH_NAME PATTERN"`)
    if (name <= last) throw new ManifestFault(`${where} must name a param that sorts after "${last}"`)
    last = name
    const parsed = parsePortablePattern(pattern)
    if (parsed.kind === 'pattern') return { name, pattern }
    throw new ManifestFault(`the pattern of ${name} cannot be used, ${parsed.message}`)
  })
}
