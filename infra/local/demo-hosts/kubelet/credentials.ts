// TLS bootstrap: a bootstrap token buys one signing request, the signed certificate is what the kubelet lives by from then on.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeNodeRequest } from '../../kube-api/certificates.ts'
import { recordOf, textOf } from '../../kube-api/json.ts'
import type { KubeletFlags } from './flags.ts'
import { readKubeconfig, writeKubeconfig } from './kubeconfig-file.ts'
import { makeNodeApi, type Connection, type NodeApi } from './node-api.ts'

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const pollMs = 200

export async function obtainCredentials(
  flags: KubeletFlags,
  log: (message: string) => void,
): Promise<Connection> {
  const kept = await readKubeconfig(flags.kubeconfig)
  if (kept) return kept
  const bootstrap = await readKubeconfig(flags.bootstrapKubeconfig)
  if (!bootstrap) throw new Error(`there is neither ${flags.kubeconfig} nor a bootstrap kubeconfig`)
  const { requestPem, keyPem } = await makeNodeRequest(flags.nodeName)
  const api = makeNodeApi(bootstrap)
  const name = `node-csr-${createHash('sha256')
    .update(requestPem)
    .digest('base64url')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, 'x')}`
  log(`asking for a certificate as ${name}`)
  await ask(api, name, requestPem)
  const certPem = await waitForCertificate(api, name)
  const credentials = { server: bootstrap.server, caPem: bootstrap.caPem, certPem, keyPem }
  await writeKubeconfig(flags.kubeconfig, credentials)
  return credentials
}

async function ask(api: NodeApi, name: string, requestPem: string): Promise<void> {
  const { status, body } = await api.send('POST', requests, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    },
  })
  if (status !== 201)
    throw new Error(`cannot ask for a certificate: ${String(status)} ${textOf(body['message'])}`)
}

/** For as long as it takes: approval may need a person. */
async function waitForCertificate(api: NodeApi, name: string): Promise<string> {
  for (;;) {
    const { status, body } = await api.send('GET', `${requests}/${name}`)
    if (status >= 400 && status < 500)
      throw new Error(`the signing request is gone: ${textOf(body['message'])}`)
    const certificate = textOf(recordOf(body['status'])['certificate'])
    if (certificate !== '') return Buffer.from(certificate, 'base64').toString('utf8')
    await sleep(pollMs)
  }
}
