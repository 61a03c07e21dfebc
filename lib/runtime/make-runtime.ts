// Structured logs and metrics by Powertools. Every line's event is also counted as a metric of that name if it is listed
// here: alarms look at these.
import { Logger } from '@aws-lambda-powertools/logger'
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import type { Clock, Facts, Log } from '../ambient/ports.ts'
import { causeChain } from './cause-chain.ts'
import type { Runtime } from './runtime.ts'

export const metricNamespace = 'kpssh'
export const countedEvents = new Set([
  'record.failed',
  'record.refused',
  'record.rejected',
  'record.dead-lettered',
  'record.unfinished',
  'schedule.failed',
  'guard.heartbeat-missing',
])

export function makeRuntime(options: { readonly functionName: string; readonly clock: Clock }): Runtime {
  const logger = new Logger({ serviceName: options.functionName })
  const metrics = new Metrics({ namespace: metricNamespace, serviceName: options.functionName })
  return {
    clock: options.clock,
    log: makeLog(logger, (event) => metrics.addMetric(event, MetricUnit.Count, 1)),
    begin: ({ awsRequestId }) => logger.appendKeys({ requestId: awsRequestId }),
    end() {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics()
    },
  }
}

type LevelLogger = Pick<Logger, 'info' | 'warn' | 'error'>

export function makeLog(logger: LevelLogger, count: (event: string) => void): Log {
  function line(level: keyof LevelLogger): (event: string, facts?: Facts) => void {
    return (event, facts = {}) => {
      if (countedEvents.has(event)) count(event)
      const { cause, ...rest } = facts
      logger[level](event, cause === undefined ? rest : { ...rest, causes: causeChain(cause) })
    }
  }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}
