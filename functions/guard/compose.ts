import { defaultGuardSettings } from '../../lib/guard/guard-settings.ts'
import { makeGuard } from '../../lib/guard/run-guard.ts'
import { readEnvironment } from '../../lib/runtime/environment.ts'
import { makeGauges } from '../../lib/runtime/make-gauges.ts'
import { readConfig } from '../../lib/runtime/read-config.ts'
import { scheduleHandler, type ScheduleLambda } from '../../lib/runtime/schedule-handler.ts'
import { composeParts } from '../compose-parts.ts'
import { Config } from './config.ts'

export function compose(): ScheduleLambda {
  const config = readConfig(Config, readEnvironment())
  const { runtime, state, kubernetes, messages } = composeParts('guard', config)
  const guard = makeGuard({
    ...state,
    clusters: kubernetes,
    heartbeats: state.clusters,
    messages,
    gauges: makeGauges('guard'),
    settings: { ...defaultGuardSettings, ...config.KPSSH_PROBE_INTERVAL_SECONDS },
    clusterNames: Object.keys(config.KPSSH_CLUSTERS),
  })
  return scheduleHandler(async (scope) => ({ ...(await guard(scope)) }), runtime)
}
