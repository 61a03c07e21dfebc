// The cluster that KUBECONFIG names.
import { resolve } from 'node:path'
import { kubeconfigConnection } from '../../../lib/adapters/kubernetes/connection.ts'
import { loadKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts'
import { makeKubernetes } from '../../../lib/adapters/kubernetes/kubernetes.ts'
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import type { Log } from '../../../lib/ambient/ports.ts'
import { TransientError } from '../../../lib/errors/transient-error.ts'
import type { StackCluster } from './local-stack.ts'
import { prepareCluster } from './prepare-cluster.ts'
import type { Terminal } from './terminal.ts'

export interface KubeconfigClusterOptions {
  /** As in the environment. */
  readonly kubeconfig: string
  /** What we call the cluster, and its pool. The same name finds the same hosts in a kept table. */
  readonly name: string
  readonly namespace: string
  readonly terminal: Terminal
  readonly log: Log
}

/** Throws an Error, for people, if the cluster cannot or must not be used. */
export async function useKubeconfigCluster(options: KubeconfigClusterOptions): Promise<StackCluster> {
  const { name, namespace, terminal, log } = options
  const kubeconfig = onlyFileOf(options.kubeconfig)
  const config = await loadKubeconfig({ file: kubeconfig })
  const context = config.getCurrentContext()
  const description = `context "${context}" of ${kubeconfig}, at ${config.getCurrentCluster()?.server ?? 'an unknown address'}`
  const clock = makeSystemClock()
  const connection = kubeconfigConnection({ file: kubeconfig })
  try {
    const kubernetes = makeKubernetes(connection, { clock, log })
    const uid = await prepareCluster({ kubernetes, description, namespace, terminal, clock })
    // The context is pinned: whoever switches it meanwhile must not move us to another cluster.
    return { name, uid, kubeconfig, namespace, ...(context === '' ? {} : { context }) }
  } catch (error) {
    if (!(error instanceof TransientError)) throw error
    const why = `it cannot be reached (${error.details['code'] ?? error.details['status'] ?? error.reason ?? 'unknown'})`
    throw new Error(`Cannot use ${description}: ${why}, start it or name another cluster with KUBECONFIG`, {
      cause: error,
    })
  } finally {
    connection.close()
  }
}

function onlyFileOf(kubeconfig: string): string {
  const files = kubeconfig.split(':').filter((file) => file !== '')
  const [file] = files
  if (file === undefined || files.length > 1) {
    throw new Error(`Cannot use KUBECONFIG "${kubeconfig}": it names ${files.length} files, name one`)
  }
  return resolve(file)
}
