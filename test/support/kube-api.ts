import type { TestContext } from 'node:test'
import {
  startKubeApiServer,
  type KubeApiServer,
  type KubeApiServerOptions,
} from '../../infra/local/kube-api/kube-api-server.ts'
import { kubeconfigConnection, type KubeConnection } from '../../lib/adapters/kubernetes/connection.ts'
import { makeKubernetes, type KubernetesDeps } from '../../lib/adapters/kubernetes/kubernetes.ts'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import type { Kubernetes } from '../../lib/kubernetes/ports.ts'
import { fakeLog, type FakeLog } from './fakes/log.ts'
import { atEnd } from './at-end.ts'

export interface ApiUnderTest {
  readonly api: KubeApiServer
  readonly connection: KubeConnection
  readonly kubernetes: Kubernetes
  readonly log: FakeLog
}

/** An API server of a test's own and a client of it; both end with the test. */
export async function anApiServer(
  test: TestContext,
  options: KubeApiServerOptions = {},
): Promise<ApiUnderTest> {
  const api = await startKubeApiServer(options)
  const connection = kubeconfigConnection({ text: () => Promise.resolve(api.kubeconfig) })
  atEnd(test, async () => {
    connection.close()
    await api.close()
  })
  const log = fakeLog()
  return { api, connection, kubernetes: makeKubernetes(connection, { clock: makeSystemClock(), log }), log }
}

/** A client of whatever a kubeconfig names; ends with the test. */
export function aClient(
  test: TestContext,
  connection: KubeConnection,
  deps: Partial<KubernetesDeps> = {},
): { readonly kubernetes: Kubernetes; readonly log: FakeLog } {
  atEnd(test, () => connection.close())
  const log = fakeLog()
  return { kubernetes: makeKubernetes(connection, { clock: makeSystemClock(), log, ...deps }), log }
}
