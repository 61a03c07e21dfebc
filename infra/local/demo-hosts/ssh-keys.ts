import { createHash } from 'node:crypto'
import ssh2 from 'ssh2'

export interface SshKeyPair {
  /** OpenSSH's own format. */
  readonly privateKey: string
  /** `ssh-ed25519 AAAA...` */
  readonly publicKey: string
  /** `SHA256:...` */
  readonly fingerprint: string
}

export function makeSshKeyPair(): SshKeyPair {
  // About one in a hundred that ssh2 makes is one that it cannot read: a leading zero goes missing.
  for (;;) {
    const pair = newKeyPair()
    if (!(ssh2.utils.parseKey(pair.privateKey) instanceof Error)) return pair
  }
}

function newKeyPair(): SshKeyPair {
  const { private: privateKey, public: publicKey } = ssh2.utils.generateKeyPairSync('ed25519')
  const [, blob = ''] = publicKey.split(' ')
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64')
  return { privateKey, publicKey, fingerprint: `SHA256:${digest.replace(/=+$/, '')}` }
}
