import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a kubeconfig with a bootstrap token, for root alone. */
export function writeBootstrapConfig(
  file: string,
  cluster: { readonly server: string; readonly caPem: string; readonly token: string },
): void {
  const { server, caPem, token } = cluster
  const ca = Buffer.from(caPem).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'bootstrap', user: { token } }],
    contexts: [{ name: 'bootstrap', context: { cluster: 'cluster', user: 'bootstrap' } }],
    'current-context': 'bootstrap',
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
}
