// What kinds of keys sign, and how each of them does.

export interface EcdsaCurve {
  readonly wireName: 'nistp256' | 'nistp384' | 'nistp521'
  readonly jwkName: 'P-256' | 'P-384' | 'P-521'
  readonly hash: 'sha256' | 'sha384' | 'sha512'
  readonly bytes: number
}

const p256: EcdsaCurve = { wireName: 'nistp256', jwkName: 'P-256', hash: 'sha256', bytes: 32 }
const p384: EcdsaCurve = { wireName: 'nistp384', jwkName: 'P-384', hash: 'sha384', bytes: 48 }
const p521: EcdsaCurve = { wireName: 'nistp521', jwkName: 'P-521', hash: 'sha512', bytes: 66 }

export type KeyKind =
  | { readonly scheme: 'ed25519'; readonly isSecurityKey: boolean }
  | { readonly scheme: 'ecdsa'; readonly curve: EcdsaCurve; readonly isSecurityKey: boolean }
  | { readonly scheme: 'rsa'; readonly isSecurityKey: false }

const kinds = {
  'ssh-ed25519': { scheme: 'ed25519', isSecurityKey: false },
  'ssh-rsa': { scheme: 'rsa', isSecurityKey: false },
  'ecdsa-sha2-nistp256': { scheme: 'ecdsa', curve: p256, isSecurityKey: false },
  'ecdsa-sha2-nistp384': { scheme: 'ecdsa', curve: p384, isSecurityKey: false },
  'ecdsa-sha2-nistp521': { scheme: 'ecdsa', curve: p521, isSecurityKey: false },
  'sk-ssh-ed25519@openssh.com': { scheme: 'ed25519', isSecurityKey: true },
  'sk-ecdsa-sha2-nistp256@openssh.com': { scheme: 'ecdsa', curve: p256, isSecurityKey: true },
} as const satisfies Record<string, KeyKind>

export type KeyType = keyof typeof kinds

export function isKeyType(text: string): text is KeyType {
  return Object.hasOwn(kinds, text)
}

export function kindOf(type: KeyType): KeyKind {
  return kinds[type]
}

/** The key that a certificate of this type certifies; undefined for what is no type of certificate. */
export function certifiedType(text: string): KeyType | undefined {
  const match = /^(.+)-cert-v01@openssh\.com$/.exec(text)
  const name = match?.[1] ?? ''
  return [name, `${name}@openssh.com`].find(isKeyType)
}

/** In a signature's own words. SHA-1 and DSA are not among them. */
const formats: Readonly<Record<string, { readonly type: KeyType; readonly rsaHash?: 'sha256' | 'sha512' }>> =
  {
    'ssh-ed25519': { type: 'ssh-ed25519' },
    'rsa-sha2-256': { type: 'ssh-rsa', rsaHash: 'sha256' },
    'rsa-sha2-512': { type: 'ssh-rsa', rsaHash: 'sha512' },
    'ecdsa-sha2-nistp256': { type: 'ecdsa-sha2-nistp256' },
    'ecdsa-sha2-nistp384': { type: 'ecdsa-sha2-nistp384' },
    'ecdsa-sha2-nistp521': { type: 'ecdsa-sha2-nistp521' },
    'sk-ssh-ed25519@openssh.com': { type: 'sk-ssh-ed25519@openssh.com' },
    'sk-ecdsa-sha2-nistp256@openssh.com': { type: 'sk-ecdsa-sha2-nistp256@openssh.com' },
  }

export function formatOf(name: string): (typeof formats)[string] | undefined {
  return Object.hasOwn(formats, name) ? formats[name] : undefined
}
