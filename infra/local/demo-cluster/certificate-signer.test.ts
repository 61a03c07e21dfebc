import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { steeredCluster, type SteeredCluster } from '../../../test/support/demo-cluster.ts'
import {
  makeAuthority,
  makeNodeRequest,
  readCertificateUser,
  type Authority,
} from '../kube-api/certificates.ts'
import { textOf, valueAt } from '../kube-api/json.ts'
import { makeCertificateSigner } from './certificate-signer.ts'

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const kubeletClient = 'kubernetes.io/kube-apiserver-client-kubelet'

describe('certificate signer', () => {
  let authority: Authority
  let cluster: SteeredCluster
  let request: string
  before(async () => {
    authority = await makeAuthority(Date.parse('2026-01-01T00:00:00Z'))
    const { requestPem } = await makeNodeRequest('n')
    request = Buffer.from(requestPem).toString('base64')
  })
  beforeEach(() => {
    cluster = steeredCluster([makeCertificateSigner(authority)])
  })
  const ask = async (spec: object, groups: readonly string[], username = 'someone'): Promise<string> => {
    const body = {
      metadata: { name: 'r' },
      spec: { request, signerName: kubeletClient, usages: ['client auth'], ...spec },
    }
    const answer = cluster.ask('POST', requests, body, { user: { username, groups } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    await cluster.settle()
    const certificate = textOf(valueAt(cluster.must('GET', `${requests}/r`), ['status', 'certificate']))
    return Buffer.from(certificate, 'base64').toString('utf8')
  }

  it("makes a bootstrap token's request a certificate of the node", async () => {
    const certificate = new X509Certificate(await ask({}, ['system:bootstrappers']))
    assert.deepEqual(readCertificateUser(certificate), {
      username: 'system:node:n',
      groups: ['system:nodes'],
    })
    assert.equal(certificate.verify(new X509Certificate(authority.caPem).publicKey), true)
    assert.equal(certificate.validTo, 'Jan  1 00:00:00 2027 GMT')
  })

  it('keeps to the lifetime that is asked', async () => {
    const certificate = new X509Certificate(await ask({ expirationSeconds: 3600 }, ['system:bootstrappers']))
    assert.equal(certificate.validTo, 'Jan  1 01:00:00 2026 GMT')
  })

  it('renews for the node itself', async () => {
    assert.notEqual(await ask({}, ['system:nodes'], 'system:node:n'), '')
  })

  const left: readonly (readonly [
    about: string,
    spec: object,
    groups: readonly string[],
    username: string,
  ])[] = [
    ['another node', {}, ['system:nodes'], 'system:node:other'],
    ['somebody', {}, ['system:authenticated'], 'someone'],
    ['another signer', { signerName: 'kubernetes.io/kubelet-serving' }, ['system:bootstrappers'], 'x'],
    ['a server', { usages: ['server auth'] }, ['system:bootstrappers'], 'x'],
  ]
  for (const [about, spec, groups, username] of left) {
    it(`leaves the request of ${about} to people`, async () => {
      assert.equal(await ask(spec, groups, username), '')
    })
  }

  it('signs what a person approved, and nothing that a person denied', async () => {
    assert.equal(await ask({}, ['system:authenticated']), '')
    const decide = (type: string): object => ({ status: { conditions: [{ type, status: 'True' }] } })
    cluster.must('PATCH', `${requests}/r/approval`, decide('Denied'))
    await cluster.settle()
    assert.equal(valueAt(cluster.must('GET', `${requests}/r`), ['status', 'certificate']), undefined)
    cluster.must('PATCH', `${requests}/r/approval`, decide('Approved'))
    await cluster.settle()
    assert.notEqual(valueAt(cluster.must('GET', `${requests}/r`), ['status', 'certificate']), undefined)
  })

  it('takes no request that is none', () => {
    const spec = { request: 'bm9uc2Vuc2U=', signerName: kubeletClient, usages: ['client auth'] }
    assert.equal(cluster.ask('POST', requests, { metadata: { name: 'r' }, spec }).status, 422)
  })
})
