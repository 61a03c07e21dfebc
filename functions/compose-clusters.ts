import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { kubeconfigConnection, type KubeConnection } from '../lib/adapters/kubernetes/connection.ts'
import { eksConnection } from '../lib/adapters/kubernetes/eks-token.ts'
import { makeClusters } from '../lib/adapters/kubernetes/kubernetes.ts'
import type { ReadSecret } from '../lib/adapters/secrets-manager/secret-reader.ts'
import type { Clock } from '../lib/ambient/ports.ts'
import type { Clusters } from '../lib/kubernetes/ports.ts'
import type { Runtime } from '../lib/runtime/runtime.ts'
import type { ClusterConnection } from './cluster-settings.ts'
import type { FunctionName } from './compose-runtime.ts'
import type { Settings } from './settings.ts'

interface Reader {
  readonly runtime: Pick<Runtime, 'clock' | 'log'>
  /** Whose identity is used. */
  readonly functionName: FunctionName
}

/** One connection per configured cluster; none is opened before it is used. */
export function composeClusters({ KPSSH_CLUSTERS }: Settings, { runtime, functionName }: Reader): Clusters {
  const connections = Object.entries(KPSSH_CLUSTERS).map(
    ([cluster, { connection }]): [string, KubeConnection] => [
      cluster,
      connectionOf(connection, runtime.clock, functionName),
    ],
  )
  return makeClusters(Object.fromEntries(connections), runtime)
}

function connectionOf(
  connection: ClusterConnection,
  clock: Clock,
  functionName: FunctionName,
): KubeConnection {
  switch (connection.kind) {
    case 'eks': {
      const { certificateAuthority, ...cluster } = connection
      return eksConnection(
        { ...cluster, certificateAuthorityBase64: certificateAuthority },
        { credentials: defaultProvider(), clock },
      )
    }
    case 'kubeconfigSecret': {
      const secret = connection.secret.replaceAll('{function}', functionName)
      return kubeconfigConnection({ text: () => readSecret(secret), context: connection.context })
    }
    case 'kubeconfigFile':
      return kubeconfigConnection({ file: connection.path, context: connection.context })
  }
}

let secretReader: Promise<ReadSecret> | undefined

/** Most deployments need no Secrets Manager, and none should wait for it to be loaded. */
async function readSecret(secretID: string): Promise<string> {
  secretReader ??= import('../lib/adapters/secrets-manager/secret-reader.ts').then((module) =>
    module.makeSecretReader(module.makeSecretsManagerClient()),
  )
  return (await secretReader)(secretID)
}
