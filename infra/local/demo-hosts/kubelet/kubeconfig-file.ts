// Reading and writing the two kubeconfig files of a kubelet.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { isRecord, listOf, recordOf, textOf } from '../../kube-api/json.ts'
import type { Connection } from './node-api.ts'

/** undefined where there is no such file. */
export async function readKubeconfig(path: string): Promise<Connection | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const config: unknown = parse(text)
  if (!isRecord(config)) throw new Error(`${path} is no kubeconfig`)
  const cluster = recordOf(recordOf(listOf(config['clusters'])[0])['cluster'])
  const user = recordOf(recordOf(listOf(config['users'])[0])['user'])
  const caFile = textOf(cluster['certificate-authority'])
  const caData = textOf(cluster['certificate-authority-data'])
  const token = textOf(user['token'])
  return {
    server: textOf(cluster['server']),
    caPem: caFile === '' ? decoded(caData) : await readFile(caFile, 'utf8'),
    ...(token !== '' && { token }),
    ...(user['client-certificate-data'] !== undefined && {
      certPem: decoded(textOf(user['client-certificate-data'])),
      keyPem: decoded(textOf(user['client-key-data'])),
    }),
  }
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

/** Whole or not at all: a join waits for this file. */
export async function writeKubeconfig(path: string, connection: Connection): Promise<void> {
  const encode = (text = ''): string => Buffer.from(text).toString('base64')
  const { server, caPem, certPem, keyPem } = connection
  const config = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default', cluster: { server, 'certificate-authority-data': encode(caPem) } }],
    users: [
      {
        name: 'default',
        user: { 'client-certificate-data': encode(certPem), 'client-key-data': encode(keyPem) },
      },
    ],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default' } }],
    'current-context': 'default',
  })
  await writeFile(`${path}.new`, config, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
