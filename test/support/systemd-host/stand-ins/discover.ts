// Who the cluster is, for somebody who knows nothing of it yet: its CA as kubeadm publishes it for everybody to read. It is
// the reader's part to hold it against a hash.
import { request } from 'node:https'
import { parse } from 'yaml'
import { isRecord, listOf, recordOf, textOf, valueAt } from '../../../../infra/local/kube-api/json.ts'

const path = '/api/v1/namespaces/kube-public/configmaps/cluster-info'

/** PEM. `server` is https://host:port. */
export async function discoverCa(server: string): Promise<string> {
  const answer: unknown = JSON.parse(await read(new URL(path, server)))
  const config: unknown = parse(textOf(valueAt(recordOf(answer), ['data', 'kubeconfig'])))
  const cluster = recordOf(recordOf(listOf(isRecord(config) ? config['clusters'] : [])[0])['cluster'])
  return Buffer.from(textOf(cluster['certificate-authority-data']), 'base64').toString('utf8')
}

function read(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, timeout: 10_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve(text))
    })
    sent.on('timeout', () => sent.destroy(new Error(`${url.href}: i/o timeout`)))
    sent.on('error', reject)
    sent.end()
  })
}
