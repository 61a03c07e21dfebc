// The SSH key Secret: what opens the door of a host, and which host key must stand behind it.
import { sshKeySecretKeys } from '../api/names.ts'
import type { Secret as SecretObject } from '../api/secret.ts'
import { SpecError } from '../errors/spec-error.ts'
import type { Secret } from '../execution/ports.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'

export interface SshCredentials {
  readonly privateKey: Secret
  readonly passphrase?: Secret
  /** Pins that the operator wrote into the Secret; they win over learned ones. Empty if there is no `knownHost`. */
  readonly pins: readonly HostKeyPin[]
}

/** A fingerprint, known_hosts lines or public key lines to pins. Throws SpecError. */
export type ParseKnownHost = (text: string) => readonly HostKeyPin[]

/** `name` is for messages: `namespace/name`. Throws SpecError. */
export function sshCredentialsOf(
  secret: SecretObject | undefined,
  name: string,
  parseKnownHost: ParseKnownHost,
): SshCredentials {
  if (secret === undefined) throw unusable(name, 'it does not exist', 'SSHKeyNotFound')
  const privateKey = decoded(secret, sshKeySecretKeys.privateKey)
  if (privateKey.trim() === '')
    throw unusable(name, 'its key privateKey is missing or empty', 'SSHKeyInvalid')
  const passphrase = decoded(secret, sshKeySecretKeys.passphrase)
  const knownHost = secret.data?.[sshKeySecretKeys.knownHost]
  return {
    privateKey: concealed(privateKey),
    ...(passphrase === '' ? {} : { passphrase: concealed(passphrase) }),
    pins: knownHost === undefined ? [] : parseKnownHost(decoded(secret, sshKeySecretKeys.knownHost)),
  }
}

export function decoded(secret: SecretObject, key: string): string {
  return Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8')
}

/** Printed, logged or stringified it shows nothing. */
function concealed(value: string): Secret {
  const shown = () => '[secret]'
  return Object.defineProperties(
    { reveal: () => value },
    { toString: { value: shown }, toJSON: { value: shown } },
  )
}

function unusable(name: string, state: string, reason: string): SpecError {
  return new SpecError(
    `Cannot log in with Secret "${name}": ${state}, it must hold a private key as privateKey`,
    { reason },
  )
}
