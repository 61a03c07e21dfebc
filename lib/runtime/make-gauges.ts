// Gauges by Powertools: each is a metric line of its own, since its dimensions are its own.
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import type { Gauges } from '../ambient/ports.ts'
import { metricNamespace } from './make-runtime.ts'

export function makeGauges(functionName: string): Gauges {
  const metrics = new Metrics({ namespace: metricNamespace, serviceName: functionName })
  return {
    set(name, value, dimensions) {
      metrics
        .singleMetric()
        .addDimensions({ ...dimensions })
        .addMetric(name, MetricUnit.Count, value)
    },
  }
}
