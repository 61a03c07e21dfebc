import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { kubeconfigConnection, type KubeConnection } from '../lib/adapters/kubernetes/connection.ts'
import { eksConnection } from '../lib/adapters/kubernetes/eks-token.ts'
import { makeClusters } from '../lib/adapters/kubernetes/kubernetes.ts'
import {
  makeSecretReader,
  makeSecretsManagerClient,
  type ReadSecret,
} from '../lib/adapters/secrets-manager/secret-reader.ts'
import type { Clock } from '../lib/ambient/ports.ts'
import type { Clusters } from '../lib/kubernetes/ports.ts'
import type { Runtime } from '../lib/runtime/runtime.ts'
import type { ClusterConnection } from './cluster-settings.ts'
import type { Settings } from './settings.ts'

/** One connection per configured cluster; none is opened before it is used. */
export function composeClusters(
  { KPSSH_CLUSTERS }: Settings,
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
): Clusters {
  const connections = Object.entries(KPSSH_CLUSTERS).map(
    ([cluster, { connection }]): [string, KubeConnection] => [cluster, connectionOf(connection, clock)],
  )
  return makeClusters(Object.fromEntries(connections), { clock, log })
}

function connectionOf(connection: ClusterConnection, clock: Clock): KubeConnection {
  switch (connection.kind) {
    case 'eks': {
      const { certificateAuthority, ...cluster } = connection
      return eksConnection(
        { ...cluster, certificateAuthorityBase64: certificateAuthority },
        { credentials: defaultProvider(), clock },
      )
    }
    case 'kubeconfigSecret':
      return kubeconfigConnection({ text: () => readSecret(connection.secret), ...contextOf(connection) })
    case 'kubeconfigFile':
      return kubeconfigConnection({ file: connection.path, ...contextOf(connection) })
  }
}

function contextOf({ context }: { readonly context?: string | undefined }): { readonly context?: string } {
  return context === undefined ? {} : { context }
}

let secretReader: ReadSecret | undefined

/** Most deployments need no Secrets Manager. */
function readSecret(secretID: string): Promise<string> {
  secretReader ??= makeSecretReader(makeSecretsManagerClient())
  return secretReader(secretID)
}
