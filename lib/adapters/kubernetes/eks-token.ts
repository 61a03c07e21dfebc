// The bearer token that EKS accepts: a presigned STS GetCallerIdentity request that names the cluster in a signed header.
// The server honors it for 15 minutes from the instant of signing.
import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Clock } from '../../ambient/ports.ts'
import { TransientError } from '../../errors/transient-error.ts'
import { type KubeConnection, tokenConnection, type TokenSource } from './connection.ts'

export interface EksCluster {
  /** As EKS knows it. */
  readonly name: string
  readonly region: string
  readonly endpoint: string
  readonly certificateAuthorityBase64: string
}

export type AwsCredentials = ConstructorParameters<typeof SignatureV4>[0]['credentials']

const reuseForMs = 10 * 60_000
const presignSeconds = 60

export function eksConnection(
  cluster: EksCluster,
  { credentials, clock }: { readonly credentials: AwsCredentials; readonly clock: Clock },
): KubeConnection {
  return tokenConnection(cluster, makeEksTokens(cluster, { credentials, clock }))
}

export function makeEksTokens(
  cluster: Pick<EksCluster, 'name' | 'region'>,
  { credentials, clock }: { readonly credentials: AwsCredentials; readonly clock: Clock },
): TokenSource {
  const signer = new SignatureV4({ service: 'sts', region: cluster.region, credentials, sha256: Sha256 })
  // A promise: whoever comes while a token is being made waits for that one.
  let last: { readonly token: Promise<string>; readonly signedAtMs: number } | undefined
  return async ({ renew }) => {
    const nowMs = clock.nowMs()
    if (renew || last === undefined || nowMs - last.signedAtMs >= reuseForMs) {
      last = { token: presign(signer, cluster, nowMs), signedAtMs: nowMs }
    }
    const { token } = last
    return token.catch((error: unknown) => {
      if (last?.token === token) last = undefined
      throw error
    })
  }
}

async function presign(
  signer: SignatureV4,
  cluster: Pick<EksCluster, 'name' | 'region'>,
  nowMs: number,
): Promise<string> {
  const hostname = `sts.${cluster.region}.${cluster.region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`
  try {
    const { path, query } = await signer.presign(
      {
        method: 'GET',
        protocol: 'https:',
        hostname,
        path: '/',
        query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
        headers: { host: hostname, 'x-k8s-aws-id': cluster.name },
      },
      {
        expiresIn: presignSeconds,
        signingDate: new Date(nowMs),
        unhoistableHeaders: new Set(['x-k8s-aws-id']),
      },
    )
    const url = `https://${hostname}${path}?${new URLSearchParams(singleValues(query)).toString()}`
    return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`
  } catch (cause) {
    throw new TransientError(
      `Cannot sign in to the EKS cluster "${cluster.name}": no AWS credentials, give this process a role`,
      {
        reason: 'CredentialsFailed',
        cause,
      },
    )
  }
}

function singleValues(
  query: Readonly<Record<string, string | readonly string[] | null>> | undefined,
): [string, string][] {
  return Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
}

type HashBytes = string | Uint8Array

/** SHA-256 in the shape that the signer constructs. */
const Sha256 = function (secret?: HashBytes) {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  return {
    update: (data: HashBytes): void => void hash.update(data),
    digest: (): Promise<Uint8Array> => Promise.resolve(new Uint8Array(hash.digest())),
  }
} as unknown as ConstructorParameters<typeof SignatureV4>[0]['sha256']
