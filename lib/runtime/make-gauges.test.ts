import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { makeGauges } from './make-gauges.ts'

const Line = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.looseObject({ Namespace: z.string(), Dimensions: z.array(z.array(z.string())) }),
    ),
  }),
})

describe('makeGauges', () => {
  it('writes one metric line per gauge, with its own dimensions', (test) => {
    const lines: string[] = []
    test.mock.method(process.stdout, 'write', (text: string) => void lines.push(text))
    const gauges = makeGauges('guard')
    gauges.set('poolHosts', 2, { pool: 'lab', state: 'Available', class: 'default' })
    gauges.set('poolHosts', 1, { pool: 'lab', state: 'InUse', class: 'large' })
    test.mock.restoreAll()
    const [first, second] = lines.map((line) => Line.parse(JSON.parse(line)))
    assert.deepEqual(
      [first, second].map((line) => [line?.['poolHosts'], line?.['state'], line?.['class']]),
      [
        [2, 'Available', 'default'],
        [1, 'InUse', 'large'],
      ],
    )
    const [metric] = first?._aws.CloudWatchMetrics ?? []
    assert.deepEqual(
      [metric?.Namespace, metric?.Dimensions],
      ['kpssh', [['service', 'pool', 'state', 'class']]],
    )
  })
})
