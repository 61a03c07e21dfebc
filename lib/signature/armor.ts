// The text around a signature: one PEM block. What stands before and after it is passed over; what is in it must be exact.
import { decodeBase64 } from './base64.ts'
import { orRefused, SignatureFault, type Refused } from './refusal.ts'

/** As long as an API server lets a profile's signature be. */
export const longestArmor = 16_384

const label = 'SSH SIGNATURE'

export type ParsedArmor = { readonly kind: 'blob'; readonly blob: Buffer } | Refused

export function parseArmor(text: string): ParsedArmor {
  return orRefused(() => ({ kind: 'blob', blob: readArmor(text) }))
}

/** In lines of 70 columns, as ssh-keygen writes it. */
export function writeArmor(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

/** Throws SignatureFault. */
export function readArmor(text: string): Buffer {
  if (text.length > longestArmor) {
    throw new SignatureFault(
      'SignatureTooLarge',
      `the signature takes ${text.length} characters, ${longestArmor} are read at most`,
    )
  }
  if (text.trim() === '') throw malformed('it is empty')
  if (text.includes('\r')) throw malformed('it has CRLF line ends, save it with LF alone')
  const begin = /^-----BEGIN ([A-Z0-9 ]{1,64})-----[ \t]*$/m.exec(text)
  if (begin === null) throw malformed(`it has no line "-----BEGIN ${label}-----"`)
  if (begin[1] !== label) throw malformed(`it is a ${begin[1] ?? ''}, not an ${label}`)
  const rest = text.slice(begin.index + begin[0].length)
  const end = /^-----END SSH SIGNATURE-----[ \t]*$/m.exec(rest)
  if (end === null) throw malformed(`it has no line "-----END ${label}-----": its end is missing`)
  const blob = decodeBase64(rest.slice(0, end.index).replace(/[ \t\n]+/g, ''))
  if (blob === undefined) throw malformed('what is between its first and last line is not base64')
  return blob
}

function malformed(why: string): SignatureFault {
  return new SignatureFault(
    'SignatureMalformed',
    `the signature cannot be read, ${why}; give what "ssh-keygen -Y sign" wrote`,
  )
}
