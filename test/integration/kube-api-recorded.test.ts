import assert from 'node:assert/strict'
import { after, before as beforeAll, describe, it } from 'node:test'
import { recordOf, textOf, valueAt, type JsonRecord } from '../../infra/local/kube-api/json.ts'
import { startKubeApiServer, type KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { localClock } from '../../infra/local/kube-api/local-ambient.ts'
import { makeApiClient, type ApiClient, type WatchedEvent } from './kube-api/api-client.ts'
import { assertAnswers, assertSame, type Known } from './kube-api/recorded-answers.ts'
import {
  before,
  during,
  recorded,
  type RecordedEvent,
  type Scenario,
  type Step,
  type Write,
} from './kube-api/recorded-scenarios.ts'

describe('the in-process API server answers as a real one was recorded', () => {
  let server: KubeApiServer
  let client: ApiClient
  const known: Known = new Map([['<uid-4>', '00000000-0000-0000-0000-000000000000']])

  beforeAll(async () => {
    // Ten times faster than recorded: a watch of three seconds takes a third of one.
    const wait = (ms: number, signal?: AbortSignal): Promise<void> => localClock.wait(ms / 10, signal)
    server = await startKubeApiServer({ clock: { ...localClock, wait } })
    client = makeApiClient(server)
    await write(['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', recorded.crd])
  })
  after(() => server.close())

  for (const scenario of recorded.scenarios) {
    it(`${scenario.id}: ${scenario.about}`, async () => {
      for (const index of scenario.steps.keys()) await replay(scenario, index)
    })
  }

  async function replay(scenario: Scenario, index: number): Promise<void> {
    const id = `${scenario.id}/${index}`
    const step = scenario.steps[index]!
    for (const preparation of before[id] ?? []) await write(preparation)
    if (step.events) await replayWatch(step, during[id] ?? [])
    else await replayRequest(step, id)
  }

  async function replayWatch(step: Step, changes: readonly Write[]): Promise<void> {
    const version = step.note === 'resourceVersion too old' ? '1' : String(server.store.version())
    const events = client.watch({ path: step.request.path.replace('<rv>', version) })
    if (changes.length > 0) await watchIsOpen()
    for (const change of changes) await write(change)
    assertEvents(await events, step.events!)
  }

  async function replayRequest(step: Step, id: string): Promise<void> {
    const { method, path, contentType } = step.request
    const body = await filledBody(step)
    const answer = await client.call({
      method,
      path,
      ...(contentType !== undefined && { contentType }),
      ...(body !== undefined && { body }),
      ...credentials(step),
    })
    assert.equal(answer.status, step.status, `${id}: ${answer.text}`)
    if (step.response?.['raw'] === undefined) assertAnswers(answer.body, step.response!, known)
    else assert.equal(answer.text, step.response['raw'])
    if (id === 'create-defaults-prune/0') assert.equal(answer.body['status'], undefined)
  }

  function assertEvents(actual: readonly WatchedEvent[], expected: readonly RecordedEvent[]): void {
    assert.deepEqual(
      actual.map(({ type }) => type),
      expected.map(({ type }) => type),
    )
    for (const [index, { type, object }] of expected.entries()) {
      if (type === 'ERROR') assertAnswers(actual[index]!.object, object, known)
      else assertSame(actual[index]!.object, object, { path: `event ${index}`, known })
    }
  }

  function credentials({ note }: Step): { readonly token?: string | null } {
    if (note === 'anonymous') return { token: null }
    return note === 'bad token' ? { token: 'nonsense' } : {}
  }

  /** The recorded body with this server's values: a version is stale exactly where the answer is a conflict. */
  async function filledBody({ request, status }: Step): Promise<unknown> {
    const { body, path, method } = request
    if (body === undefined || typeof body === 'string') return body
    const current = method === 'POST' ? {} : await metadataAt(path.replace(/\/status$/, ''))
    const version = status === 409 ? '1' : textOf(current['resourceVersion'])
    const text = JSON.stringify(body)
      .replaceAll(/<uid-\d+>/g, (placeholder) => known.get(placeholder) ?? placeholder)
      .replaceAll('<rv>', version)
      .replaceAll('<time>', textOf(current['creationTimestamp']) || '2026-01-01T00:00:00Z')
    const filled: unknown = JSON.parse(text)
    return filled
  }

  async function metadataAt(path: string): Promise<JsonRecord> {
    return recordOf(valueAt((await client.call({ path })).body, ['metadata']))
  }

  async function write([method, path, body]: Write): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await client.call({ method, path, contentType, ...(body !== undefined && { body }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  }

  async function watchIsOpen(): Promise<void> {
    for (let turn = 0; server.liveWatches()['gadgets'] === undefined; turn += 1) {
      assert.ok(turn < 100_000, 'the watch was never opened')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
})
