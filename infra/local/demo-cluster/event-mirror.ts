import { recordOf } from '../kube-api/json.ts'
import type { Controller } from './control-loop.ts'

const written = 'events.k8s.io/events'
const shown = '/events'

/** A real API server keeps one object that both groups serve; here `kubectl describe` gets a copy. */
export const eventMirror: Controller = {
  name: 'event-mirror',
  watches: [written],
  reconcile(cluster) {
    for (const event of cluster.list(written)) {
      const { name, namespace = 'default' } = event.metadata
      if (cluster.get(shown, namespace, name) !== undefined) continue
      const { regarding, note, reportingController, reportingInstance, action, reason, type, eventTime } =
        event
      cluster.create(
        shown,
        {
          metadata: { name, namespace },
          ...{ type, reason, action, eventTime, reportingInstance },
          message: note,
          reportingComponent: reportingController,
          involvedObject: recordOf(regarding),
          ...{ firstTimestamp: null, lastTimestamp: null, source: {} },
        },
        namespace,
      )
    }
  },
}
