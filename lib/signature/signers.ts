// Lists of signers: keys as authorized_keys has them, or whole lines of an allowed_signers file.
import { decodeBase64 } from './base64.ts'
import { certifiedType, isKeyType } from './key-types.ts'
import { readPublicKey, type PublicKey } from './public-key.ts'
import { refused, type Refused } from './refusal.ts'
import {
  areOptions,
  noOptions,
  readAllowedSignersOptions,
  readOptions,
  SignerLineFault,
  splitOptions,
} from './signer-options.ts'
import type { Signer } from './signer.ts'
import { WireFault } from './wire-reader.ts'

export type ParsedSigners = { readonly kind: 'signers'; readonly signers: readonly Signer[] } | Refused

const mostLines = 1_000
const longestLine = 16_384

/** An entry may hold several lines; empty ones and comments are passed over. One line that is wrong refuses them all. */
export function parseSigners(entries: readonly string[]): ParsedSigners {
  const lines = entries.flatMap((entry) => entry.split(/\r?\n/, mostLines + 1))
  if (lines.length > mostLines) {
    return refused('SignerInvalid', `there are more than ${mostLines} lines of signers, give those that sign`)
  }
  const signers: Signer[] = []
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    try {
      signers.push({ line: index + 1, ...readLine(text) })
    } catch (error) {
      if (!(error instanceof SignerLineFault) && !(error instanceof WireFault)) throw error
      return refused('SignerInvalid', `signer ${index + 1} cannot be read, ${error.message}`)
    }
  }
  if (signers.length > 0) return { kind: 'signers', signers }
  return refused('SignersMissing', 'there is no trusted signer, give the public key that signs')
}

type SignerLine = Omit<Signer, 'line'>

function readLine(text: string): SignerLine {
  if (text.length > longestLine) throw new SignerLineFault(`it is longer than ${longestLine} characters`)
  if (beginsWithKey(text)) return { ...noOptions, key: readKey(text) }
  const [first, behindFirst] = takeColumn(text)
  if (beginsWithKey(behindFirst)) {
    const items = splitOptions(first)
    if (items === undefined || !areOptions(items)) {
      return { ...noOptions, principals: unquoted(first), key: readKey(behindFirst) }
    }
    return { ...readOptions(items), key: readKey(behindFirst) }
  }
  const [second, behindSecond] = takeColumn(behindFirst)
  if (!beginsWithKey(behindSecond)) {
    throw new SignerLineFault('it holds no key, give the line of a .pub file or of allowed_signers')
  }
  return {
    ...readAllowedSignersOptions(second),
    principals: unquoted(first),
    key: readKey(behindSecond),
  }
}

function beginsWithKey(text: string): boolean {
  const [word = ''] = text.split(/[ \t]/, 1)
  return isKeyType(word) || certifiedType(word) !== undefined || word === 'ssh-dss'
}

/** Up to the first space that is not in quotes, and what follows. */
function takeColumn(text: string): readonly [string, string] {
  const column = /^(?:"(?:\\"|[^"])*"|[^ \t"])+/.exec(text)?.[0] ?? ''
  return [column, text.slice(column.length).replace(/^[ \t]+/, '')]
}

function unquoted(text: string): string {
  const principals = /^"([^"]*)"$/.exec(text)?.[1] ?? text
  if (principals === '' || principals.includes('"')) throw new SignerLineFault('its principals are malformed')
  return principals
}

function readKey(text: string): PublicKey {
  const [type = '', encoded = ''] = text.split(/[ \t]+/, 2)
  if (certifiedType(type) !== undefined) {
    throw new SignerLineFault('it is a certificate, give the key of its authority with cert-authority')
  }
  const blob = decodeBase64(encoded)
  if (blob === undefined) throw new SignerLineFault(`its ${type} key is not base64, give the whole line`)
  const key = readPublicKey(blob)
  if (key.type === type) return key
  throw new SignerLineFault(`it says ${type}, but its key is ${key.type}`)
}
