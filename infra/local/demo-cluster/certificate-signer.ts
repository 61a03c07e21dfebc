// Approves and signs what a kubelet asks for: a client certificate for its own node, once with a bootstrap token and then in
// its own name. Any other request waits for a person.
import { readRequestSubject } from '../kube-api/certificates.ts'
import type { Authority } from '../kube-api/certificates.ts'
import { isSame, listOf, recordOf, textOf } from '../kube-api/json.ts'
import { timestamp, type KubeObject } from '../kube-api/kube-object.ts'
import { conditionsOf, type Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

const collection = 'certificates.k8s.io/certificatesigningrequests'
const kubeletClient = 'kubernetes.io/kube-apiserver-client-kubelet'
const yearSeconds = 365 * 24 * 3600

export function makeCertificateSigner(authority: Authority): Controller {
  return {
    name: 'certificate-signer',
    watches: [collection],
    async reconcile(cluster) {
      for (const request of cluster.list(collection)) {
        if (isApprovable(request)) approve(cluster, request)
        else if (isSignable(request)) await sign(cluster, authority, request)
      }
    },
  }
}

function isApprovable(request: KubeObject): boolean {
  const spec = recordOf(request['spec'])
  const subject = readRequestSubject(pemOf(request))
  if (conditionsOf(request).length > 0 || spec['signerName'] !== kubeletClient || !subject) return false
  const isForNode =
    /^system:node:./.test(subject.commonName) && isSame(subject.organizations, ['system:nodes'])
  const groups = listOf(spec['groups'])
  const isEntitled = groups.includes('system:bootstrappers') || spec['username'] === subject.commonName
  return isForNode && isEntitled && listOf(spec['usages']).includes('client auth')
}

function approve(cluster: Cluster, request: KubeObject): void {
  const now = timestamp(cluster.nowMs)
  const approved = {
    type: 'Approved',
    status: 'True',
    reason: 'AutoApproved',
    message: 'Auto approving kubelet client certificate',
    lastUpdateTime: now,
    lastTransitionTime: now,
  }
  cluster.ask(request, {
    collection,
    subresource: 'approval',
    method: 'PATCH',
    body: { status: { conditions: [approved] } },
  })
}

function isSignable(request: KubeObject): boolean {
  const types = conditionsOf(request).map(({ type }) => type)
  const isDecided = types.includes('Approved') && !types.includes('Denied') && !types.includes('Failed')
  return (
    isDecided &&
    recordOf(request['spec'])['signerName'] === kubeletClient &&
    recordOf(request['status'])['certificate'] === undefined
  )
}

async function sign(cluster: Cluster, authority: Authority, request: KubeObject): Promise<void> {
  const { expirationSeconds } = recordOf(request['spec'])
  const seconds = typeof expirationSeconds === 'number' ? expirationSeconds : yearSeconds
  const pem = await authority.signClient(pemOf(request), seconds * 1000, cluster.nowMs)
  const certificate = Buffer.from(pem).toString('base64')
  cluster.patchStatus(collection, request, { certificate })
}

function pemOf(request: KubeObject): string {
  return Buffer.from(textOf(recordOf(request['spec'])['request']), 'base64').toString('utf8')
}
