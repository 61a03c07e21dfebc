import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../../../test/support/fakes/clock.ts'
import { makeEksTokens } from './eks-token.ts'

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session',
}
const startMs = Date.UTC(2026, 0, 1, 12, 0, 0)

function urlIn(token: string): URL {
  assert.ok(token.startsWith('k8s-aws-v1.'))
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString())
}

describe('tokens for EKS', () => {
  it('are presigned questions who we are, which name the cluster in a signed header', async () => {
    const tokens = makeEksTokens(
      { name: 'lab', region: 'eu-central-1' },
      { credentials, clock: fakeClock(startMs) },
    )
    const url = urlIn(await tokens({ renew: false }))
    assert.equal(url.origin + url.pathname, 'https://sts.eu-central-1.amazonaws.com/')
    assert.deepEqual(
      Object.fromEntries([...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature')),
      {
        Action: 'GetCallerIdentity',
        Version: '2011-06-15',
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Credential': 'AKIDEXAMPLE/20260101/eu-central-1/sts/aws4_request',
        'X-Amz-Date': '20260101T120000Z',
        'X-Amz-Expires': '60',
        'X-Amz-Security-Token': 'session',
        'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      },
    )
    assert.match(url.searchParams.get('X-Amz-Signature') ?? '', /^[0-9a-f]{64}$/)
  })

  it('differ in their signature for another cluster', async () => {
    const deps = { credentials, clock: fakeClock(startMs) }
    const one = urlIn(await makeEksTokens({ name: 'lab', region: 'eu-central-1' }, deps)({ renew: false }))
    const other = urlIn(await makeEksTokens({ name: 'lob', region: 'eu-central-1' }, deps)({ renew: false }))
    assert.notEqual(one.searchParams.get('X-Amz-Signature'), other.searchParams.get('X-Amz-Signature'))
  })

  it('WAT-08: are made anew well before the server stops to honor them, and after a refusal', async () => {
    const clock = fakeClock(startMs)
    const tokens = makeEksTokens({ name: 'lab', region: 'eu-central-1' }, { credentials, clock })
    const signedAt = async (renew: boolean): Promise<string | null> =>
      urlIn(await tokens({ renew })).searchParams.get('X-Amz-Date')
    assert.equal(await signedAt(false), '20260101T120000Z')
    clock.advance(9 * 60_000)
    assert.equal(await signedAt(false), '20260101T120000Z')
    clock.advance(60_000)
    assert.equal(await signedAt(false), '20260101T121000Z')
    clock.advance(1_000)
    assert.equal(await signedAt(true), '20260101T121001Z')
  })

  it('WAT-08: are made once for all who ask while one is being made', async () => {
    const clock = fakeClock(startMs)
    const tokens = makeEksTokens({ name: 'lab', region: 'eu-central-1' }, { credentials, clock })
    await tokens({ renew: false })
    clock.advance(60_000)
    const [renewed, beside] = await Promise.all([tokens({ renew: true }), tokens({ renew: false })])
    assert.equal(renewed, beside)
    assert.equal(urlIn(beside).searchParams.get('X-Amz-Date'), '20260101T120100Z')
  })

  it('use the names of the other partition in China', async () => {
    const tokens = makeEksTokens(
      { name: 'lab', region: 'cn-north-1' },
      { credentials, clock: fakeClock(startMs) },
    )
    assert.equal(urlIn(await tokens({ renew: false })).host, 'sts.cn-north-1.amazonaws.com.cn')
  })

  it('say what is missing when there are no AWS credentials', async () => {
    const nobody = (): Promise<never> => Promise.reject(new Error('no providers'))
    const tokens = makeEksTokens(
      { name: 'lab', region: 'eu-central-1' },
      { credentials: nobody, clock: fakeClock(startMs) },
    )
    await assert.rejects(tokens({ renew: false }), {
      name: 'TransientError',
      message: 'Cannot sign in to the EKS cluster "lab": no AWS credentials, give this process a role',
    })
  })
})
