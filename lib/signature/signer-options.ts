// What stands before a key in a line of signers: the options of allowed_signers, and those of authorized_keys that say
// something about a key. What authorized_keys says about logins alone says nothing about signatures.
import type { Signer } from './signer.ts'
import { parseSignerTimeMs } from './signer-time.ts'

export type SignerOptions = Omit<Signer, 'line' | 'key' | 'principals'>

/** What is wrong with a line. */
export class SignerLineFault extends Error {}

const ofAllowedSigners = ['cert-authority', 'namespaces', 'valid-after', 'valid-before']
const ofKeys = ['principals', 'expiry-time', 'no-touch-required', 'verify-required']
const ofLogins =
  /^(no-)?(agent-forwarding|port-forwarding|pty|user-rc|x11-forwarding)$|^(restrict|command|environment|from|permitlisten|permitopen|tunnel)$/
const switches = new Set(['cert-authority', 'no-touch-required', 'verify-required'])

export const noOptions: SignerOptions = { isAuthority: false, needsNoTouch: false, needsVerification: false }

export interface OptionItem {
  /** In lower case. */
  readonly name: string
  readonly value: string | undefined
}

const item = /([A-Za-z0-9-]+)(?:="((?:\\"|[^"])*)")?(,|$)/y

/** undefined for what is no list of options. */
export function splitOptions(column: string): readonly OptionItem[] | undefined {
  const items: OptionItem[] = []
  item.lastIndex = 0
  for (;;) {
    const match = item.exec(column)
    if (match === null) return undefined
    const [, name = '', value, separator] = match
    items.push({ name: name.toLowerCase(), value: value?.replaceAll('\\"', '"') })
    if (separator === '') return items
  }
}

/** Whether a line's only column before the key says how, and not who. */
export function areOptions(items: readonly OptionItem[]): boolean {
  return items.every(({ name }) => isKnown(name) || ofLogins.test(name))
}

function isKnown(name: string): boolean {
  return ofAllowedSigners.includes(name) || ofKeys.includes(name)
}

/** The column behind principals takes what ssh-keygen knows there, and no more. Throws SignerLineFault. */
export function readAllowedSignersOptions(column: string): SignerOptions {
  const items = splitOptions(column)
  if (items === undefined) throw new SignerLineFault(`"${column.slice(0, 64)}" are no options`)
  const unknown = items.find(({ name }) => !ofAllowedSigners.includes(name))
  if (unknown !== undefined) {
    throw new SignerLineFault(`its option "${unknown.name}" is unknown, use ${ofAllowedSigners.join(', ')}`)
  }
  return readOptions(items)
}

/** Throws SignerLineFault. */
export function readOptions(items: readonly OptionItem[]): SignerOptions {
  const known = items.filter(({ name }) => isKnown(name))
  const values = new Map(known.map(({ name, value }) => [name, value]))
  if (values.size < known.length) throw new SignerLineFault('one of its options is there twice')
  for (const { name, value } of known) {
    if (switches.has(name) === (value === undefined) && value !== '') continue
    throw new SignerLineFault(
      `its option "${name}" ${switches.has(name) ? 'takes no value' : 'needs a value'}`,
    )
  }
  return {
    isAuthority: values.has('cert-authority'),
    needsNoTouch: values.has('no-touch-required'),
    needsVerification: values.has('verify-required'),
    namespaces: values.get('namespaces'),
    certificatePrincipals: values.get('principals')?.split(','),
    ...windowOf(values),
  }
}

type Values = ReadonlyMap<string, string | undefined>

function windowOf(values: Values): Pick<SignerOptions, 'validAfterMs' | 'validBeforeMs'> {
  const validAfterMs = timeOf(values, 'valid-after')
  const validBeforeMs = least(timeOf(values, 'valid-before'), timeOf(values, 'expiry-time'))
  if (validAfterMs !== undefined && validBeforeMs !== undefined && validBeforeMs <= validAfterMs) {
    throw new SignerLineFault('it ends to be valid before it begins, correct valid-after or valid-before')
  }
  return { validAfterMs, validBeforeMs }
}

function timeOf(values: Values, name: string): number | undefined {
  const text = values.get(name)
  if (text === undefined) return undefined
  const atMs = parseSignerTimeMs(text)
  if (atMs !== undefined) return atMs
  throw new SignerLineFault(`its "${name}" is no time, write YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS and Z`)
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}
