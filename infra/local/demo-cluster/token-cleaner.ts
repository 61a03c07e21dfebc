import { recordOf, textOf } from '../kube-api/json.ts'
import type { Controller } from './control-loop.ts'

/** Deletes bootstrap tokens whose time is up. */
export const tokenCleaner: Controller = {
  name: 'token-cleaner',
  watches: ['/secrets'],
  everyMs: 30_000,
  reconcile(cluster) {
    for (const secret of cluster.list('/secrets', 'kube-system')) {
      if (secret['type'] !== 'bootstrap.kubernetes.io/token') continue
      const text = Buffer.from(textOf(recordOf(secret['data'])['expiration']), 'base64').toString('utf8')
      if (Date.parse(text) <= cluster.nowMs) cluster.remove('/secrets', secret)
    }
  },
}
