// The few controllers that make an API server a cluster, for the demo and for tests of the whole. Each is a file of its own.
import type { Clock } from '../../../lib/ambient/ports.ts'
import type { KubeApiServer } from '../kube-api/kube-api-server.ts'
import type { KubeObject } from '../kube-api/kube-object.ts'
import { localClock } from '../kube-api/local-ambient.ts'
import { makeCertificateSigner } from './certificate-signer.ts'
import { runControlLoop, type Controller } from './control-loop.ts'
import { disruptionBudgetStatus } from './disruption-budget-status.ts'
import { eventMirror } from './event-mirror.ts'
import { makePodCollector, ownerCollector } from './garbage-collector.ts'
import { namespaceController } from './namespaces.ts'
import { nodeAddresses } from './node-addresses.ts'
import { makeNodeLifecycle } from './node-lifecycle.ts'
import { isStandIn, makePodLifecycle } from './pod-lifecycle.ts'
import { scheduler } from './scheduler.ts'
import { taintEviction } from './taint-eviction.ts'
import { tokenCleaner } from './token-cleaner.ts'
import { deploymentController, replicaSetController } from './workloads.ts'

export interface DemoControllerOptions {
  readonly clock?: Clock
  /** Without a heartbeat for so long a node becomes Unknown. Default 40 s, as a real controller manager's. */
  readonly nodeGraceMs?: number
  /** Pods of a node that is gone are ended after this. Default 40 s. */
  readonly podQuarantineMs?: number
  /** Nodes whose pods this runs, in place of a kubelet. Default: those with a stand-in for a kubelet. */
  readonly runsPodsOn?: (node: KubeObject) => boolean
  readonly onError?: (controller: string, error: unknown) => void
}

export interface DemoControllers {
  close(): Promise<void>
}

export function startDemoControllers(
  server: KubeApiServer,
  options: DemoControllerOptions = {},
): DemoControllers {
  const controllers: readonly Controller[] = [
    scheduler,
    makePodLifecycle(options.runsPodsOn ?? isStandIn),
    makeNodeLifecycle({ graceMs: options.nodeGraceMs ?? 40_000 }),
    nodeAddresses,
    taintEviction,
    ownerCollector,
    makePodCollector({ quarantineMs: options.podQuarantineMs ?? 40_000 }),
    makeCertificateSigner(server.authority),
    deploymentController,
    replicaSetController,
    disruptionBudgetStatus,
    namespaceController,
    tokenCleaner,
    eventMirror,
  ]
  const stop = new AbortController()
  const loop = {
    clock: options.clock ?? localClock,
    signal: stop.signal,
    onError:
      options.onError ?? ((name: string, error: unknown) => console.error(`demo-cluster: ${name}:`, error)),
  }
  const running = controllers.map((controller) => runControlLoop(server, controller, loop))
  return {
    async close() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
