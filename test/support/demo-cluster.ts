// A cluster without a network or a clock of its own: controllers run when a test says so, until nothing changes any more.
import { makeCluster } from '../../infra/local/demo-cluster/cluster.ts'
import type { Controller } from '../../infra/local/demo-cluster/control-loop.ts'
import type { JsonRecord } from '../../infra/local/kube-api/json.ts'
import { fakeClock, type FakeClock } from './fakes/clock.ts'
import { localApi, type LocalApi } from './local-api.ts'

export interface SteeredCluster extends LocalApi {
  readonly clock: FakeClock
  /** Passes of all controllers until none of them changes anything. */
  settle(): Promise<void>
  /** The object at a URL; undefined where there is none. */
  find(url: string): JsonRecord | undefined
}

export function steeredCluster(controllers: readonly Controller[]): SteeredCluster {
  const clock = fakeClock(Date.parse('2026-01-01T00:00:00Z'))
  const api = localApi({ clock })
  return {
    ...api,
    clock,
    async settle() {
      for (let pass = 0; pass < 50; pass += 1) {
        const before = api.store.version()
        for (const controller of controllers) {
          await controller.reconcile(makeCluster(api, clock.nowMs(), controller.name))
        }
        if (api.store.version() === before) return
      }
      throw new Error('the controllers did not settle in 50 passes')
    },
    find(url) {
      const { status, body } = api.ask('GET', url)
      return status === 200 ? body : undefined
    },
  }
}

export const readyNode = (
  name: string,
  more: { spec?: object; labels?: object; cpu?: string } = {},
): object => ({
  metadata: { name, labels: more.labels ?? {} },
  spec: more.spec ?? {},
  status: {
    capacity: { cpu: more.cpu ?? '4', memory: '8Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kubeletVersion: 'v1.36.2-demo' },
  },
})

export const aPod = (name: string, spec: object = {}, cpu = '1'): object => ({
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
})
