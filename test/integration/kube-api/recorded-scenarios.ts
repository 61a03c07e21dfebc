// What test/fixtures/kube-api.json recorded from a real API server, and what happened between its requests: the recording
// keeps requests and answers only, so each scenario's own preparation is written here.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const record = z.record(z.string(), z.unknown())
const RecordedEvent = z.object({ type: z.string(), object: record })
export type RecordedEvent = z.infer<typeof RecordedEvent>

const Step = z.object({
  request: z.object({
    method: z.string(),
    path: z.string(),
    contentType: z.string().optional(),
    body: z.unknown().optional(),
  }),
  status: z.int().optional(),
  response: record.optional(),
  events: z.array(RecordedEvent).optional(),
  note: z.string().optional(),
})
export type Step = z.infer<typeof Step>

const Scenario = z.object({ id: z.string(), about: z.string(), steps: z.array(Step) })
export type Scenario = z.infer<typeof Scenario>

const file = new URL('../../fixtures/kube-api.json', import.meta.url)
export const recorded = z
  .object({ crd: record, scenarios: z.array(Scenario).min(1) })
  .parse(JSON.parse(readFileSync(file, 'utf8')))

export type Write = readonly [method: string, path: string, body?: unknown]

const gadgets = '/apis/conf.example.com/v1/gadgets'
const budgets = '/apis/policy/v1/namespaces/conf-ns/poddisruptionbudgets'
const gadget = (name: string, meta: object = {}): object => ({
  apiVersion: 'conf.example.com/v1',
  kind: 'Gadget',
  metadata: { name, ...meta },
  spec: { address: '192.0.2.1' },
})

/** Writes before a step, by scenario and the step's number. */
export const before: Readonly<Record<string, readonly Write[]>> = {
  'put-stale/0': [['PATCH', `${gadgets}/conf-a`, { metadata: { labels: { n: '1' } } }]],
  'status-subresource/0': [
    ['PATCH', `${gadgets}/conf-a`, { metadata: { annotations: { k: 'v' } }, spec: { port: 2222 } }],
  ],
  'finalizers/0': [['POST', gadgets, gadget('conf-c', { finalizers: ['conf.example.com/hold'] })]],
  'list-selectors-paging/0': [
    ['DELETE', `${gadgets}?labelSelector=n!=1`],
    ['POST', gadgets, gadget('conf-e', { labels: { grp: 'x', i: '0' } })],
    ['POST', gadgets, gadget('conf-f', { labels: { grp: 'x', i: '1' } })],
  ],
  'secrets/0': [['POST', '/api/v1/namespaces', { metadata: { name: 'conf-ns' } }]],
  // What the controller manager adds to a new node.
  'nodes/1': [
    [
      'PATCH',
      '/api/v1/nodes/conf-node',
      {
        metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '0' } },
        spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] },
      },
    ],
  ],
  'pods-and-eviction/2': [
    [
      'POST',
      '/api/v1/namespaces/conf-ns/pods',
      {
        metadata: { name: 'conf-p1', labels: { app: 'conf-p1' } },
        spec: {
          nodeName: 'conf-node',
          containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }],
        },
      },
    ],
    [
      'POST',
      budgets,
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'conf-pdb' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'conf-p1' } } },
      },
    ],
  ],
  'pods-and-eviction/6': [['DELETE', `${budgets}/conf-pdb`]],
}

const watched: readonly Write[] = [
  ['POST', gadgets, gadget('conf-b', { labels: { w: '1' } })],
  ['PATCH', `${gadgets}/conf-b`, { spec: { port: 2 } }],
  ['PATCH', `${gadgets}/conf-b`, { metadata: { labels: { w: '2' } } }],
  ['DELETE', `${gadgets}/conf-b`],
]
/** Writes while a step's watch runs. */
export const during: Readonly<Record<string, readonly Write[]>> = {
  'watch-events/0': watched,
  'watch-events/1': watched,
}
