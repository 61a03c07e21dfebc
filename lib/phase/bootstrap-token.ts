// Bootstrap tokens: what a host that is nobody yet shows to the API server. Minted right before a join, for that join alone;
// its id is recorded on the host before the Secret exists, so that every token can be collected by name and none is listed.
import type { Random } from '../ambient/ports.ts'
import { bootstrapTokenGroup, bootstrapTokenNamespace } from '../api/names.ts'
import { formatInstant } from '../api/rfc3339.ts'
import { minTokenMs, tokenMarginMs } from './budgets.ts'

export interface BootstrapToken {
  readonly id: string
  /** The secret half. */
  readonly secret: string
  /** `<id>.<secret>`: what the kubelet is given. */
  readonly text: string
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

export function newBootstrapToken(random: Random): BootstrapToken {
  const id = letters(6, random)
  const secret = letters(16, random)
  return { id, secret, text: `${id}.${secret}` }
}

function letters(count: number, random: Random): string {
  return Array.from({ length: count }, () => alphabet.charAt(random.below(alphabet.length))).join('')
}

export const tokenSecretNamespace = bootstrapTokenNamespace

export function tokenSecretName(tokenID: string): string {
  return `bootstrap-token-${tokenID}`
}

/** Valid for the whole join and a margin, and at least an hour. */
export function tokenExpiryMs(joinTimeoutMs: number, nowMs: number): number {
  return nowMs + Math.max(minTokenMs, joinTimeoutMs + tokenMarginMs)
}

export interface TokenSecretFacts {
  readonly nodeClaim: string
  readonly expiresAtMs: number
}

/** The Secret that the API server's token authenticator looks for. */
export function tokenSecret(token: BootstrapToken, { nodeClaim, expiresAtMs }: TokenSecretFacts): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: tokenSecretName(token.id),
      namespace: tokenSecretNamespace,
      labels: { 'app.kubernetes.io/managed-by': 'kpssh' },
    },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': token.id,
      'token-secret': token.secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': bootstrapTokenGroup,
      expiration: formatInstant(expiresAtMs),
      description: `kpssh nodeclaim ${nodeClaim}`,
    },
  }
}
