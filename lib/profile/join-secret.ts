import type { Secret } from '../api/secret.ts'
import { SpecError } from '../errors/spec-error.ts'

/** Values below this length are hidden only where they stand alone: they are too common to be hidden everywhere. */
export const shortSecretBytes = 8

/** The Secret that joinSecretRef names; `data` values are base64, as on the wire. */
export type JoinSecret = Pick<Secret, 'data'> & { readonly metadata: { readonly name: string } }

/** The values as text, by key. Throws SpecError (SecretNotText): bytes that are no text fit no environment. */
export function joinSecretValues({ metadata, data }: JoinSecret): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([key, encoded]) => {
      try {
        return [
          key,
          new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64')),
        ]
      } catch {
        throw new SpecError(
          `Cannot use key "${key}" of secret "${metadata.name}": its value is not UTF-8 text, store it as base64 text`,
          { reason: 'SecretNotText', details: { key } },
        )
      }
    }),
  )
}
