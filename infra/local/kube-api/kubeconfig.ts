import { stringify } from 'yaml'

export interface KubeconfigUser {
  readonly url: string
  readonly caPem: string
  readonly token: string
}

export function kubeconfigYaml({ url, caPem, token }: KubeconfigUser): string {
  const name = 'kpssh-local'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })
}
