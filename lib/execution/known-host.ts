// The pins an operator gives: fingerprints, known_hosts lines or public keys, one on each line. The host part of a
// known_hosts line is not compared with the target: the pin belongs to the host record, whatever its address.
import { SpecError } from '../errors/spec-error.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'
import { fingerprintOf, isFingerprint, isHostKeyType, keyTypeOf } from './host-key.ts'

export function parseKnownHost(text: string): HostKeyPin[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const pins = new Map<string, HostKeyPin>()
  for (const line of lines) {
    const pin = toPin(line)
    pins.set(pin.fingerprint, pin)
  }
  if (pins.size === 0)
    throw invalid('it holds no key', 'give a fingerprint, a known_hosts line or a public key line')
  return [...pins.values()]
}

function toPin(line: string): HostKeyPin {
  if (line.startsWith('SHA256:')) {
    const fingerprint = line.split(/\s/, 1)[0] ?? ''
    if (isFingerprint(fingerprint)) return { fingerprint }
    throw invalid('a fingerprint is malformed', 'it must be SHA256: and 43 base64 characters')
  }
  const fields = line.split(/\s+/)
  if (fields[0]?.startsWith('@')) refuseMarker(fields[0])
  const at = fields
    .slice(0, 2)
    .findIndex((field) => field === 'ssh-dss' || /-cert-v01@/.test(field) || isHostKeyType(field))
  const type = fields[at]
  if (type === undefined || !isHostKeyType(type)) {
    throw invalid(
      'a line holds no usable key',
      'give ssh-ed25519, ecdsa-sha2-nistp256, -384, -521 or ssh-rsa',
    )
  }
  return { type, fingerprint: fingerprintOf(toBlob(type, fields[at + 1] ?? '')) }
}

function refuseMarker(marker: string): never {
  if (marker === '@revoked') throw invalid('a line is marked @revoked', 'give a key that is to be trusted')
  if (marker === '@cert-authority') {
    throw invalid(
      'a line is marked @cert-authority',
      'host certificates are not supported, give the key of the host',
    )
  }
  throw invalid('a line has an unknown marker', 'give a plain known_hosts line')
}

function toBlob(type: string, base64: string): Buffer {
  const blob = Buffer.from(base64, 'base64')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || keyTypeOf(blob) !== type) {
    throw invalid(`a key of type ${type} is malformed`, 'give the whole line that ssh-keyscan prints')
  }
  return blob
}

function invalid(state: string, required: string): SpecError {
  return new SpecError(`Cannot read "knownHost": ${state}, ${required}`, { reason: 'KnownHostInvalid' })
}
