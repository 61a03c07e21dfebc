import assert from 'node:assert/strict'
import { after, before as beforeAll, describe, it } from 'node:test'
import { startKubeApiServer, type KubeApiServer } from '../../infra/local/kube-api/kube-api-server.ts'
import { localClock } from '../../infra/local/kube-api/local-ambient.ts'
import { makeApiClient } from './kube-api/api-client.ts'
import { assertAnswers, assertSame, type Known } from './kube-api/recorded-answers.ts'
import {
  before,
  during,
  recorded,
  type Scenario,
  type Step,
  type Write,
} from './kube-api/recorded-scenarios.ts'

describe('the in-process API server answers as a real one was recorded', () => {
  let server: KubeApiServer
  let client: ReturnType<typeof makeApiClient>
  const known: Known = new Map([['<uid-4>', '00000000-0000-0000-0000-000000000000']])

  beforeAll(async () => {
    // Ten times faster than recorded: a watch of three seconds takes a third of one.
    const clock = {
      ...localClock,
      wait: (ms: number, signal?: AbortSignal) => localClock.wait(ms / 10, signal),
    }
    server = await startKubeApiServer({ clock })
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
    const step = scenario.steps[index]!
    for (const preparation of before[`${scenario.id}/${index}`] ?? []) await write(preparation)
    const path = await filled(step, step.request.path)
    if (step.events) {
      const events = client.watch({ path })
      if (during[`${scenario.id}/${index}`]) await watchIsOpen()
      for (const change of during[`${scenario.id}/${index}`] ?? []) await write(change)
      return assertEvents(await events, step.events)
    }
    const body = await filled(step, step.request.body)
    const { method, contentType } = step.request
    const answer = await client.call({
      method,
      path,
      ...(contentType !== undefined && { contentType }),
      ...(body !== undefined && { body }),
      ...credentials(step),
    })
    assert.equal(answer.status, step.status, `${scenario.id}/${index}: ${answer.text}`)
    if (step.response?.['raw'] === undefined) assertAnswers(answer.body, step.response!, known)
    else assert.equal(answer.text, step.response['raw'])
    if (scenario.id === 'create-defaults-prune') assert.equal(answer.body?.['status'], undefined)
  }

  function assertEvents(actual: readonly Record<string, any>[], expected: readonly Record<string, any>[]) {
    assert.deepEqual(
      actual.map(({ type }) => type),
      expected.map(({ type }) => type),
    )
    expected.forEach(({ type, object }, index) => {
      // The uid belongs to the object that this replay made, not to an earlier one of that name.
      if (type === 'ERROR') assertAnswers(actual[index]!['object'], object, known)
      else assertSame(actual[index]!['object'], object, { path: `event ${index}`, known })
    })
  }

  function credentials({ note }: Step): { readonly token?: string | null } {
    if (note === 'anonymous') return { token: null }
    return note === 'bad token' ? { token: 'nonsense' } : {}
  }

  /** The recorded text with the values that this server has: a version is stale exactly where the answer is a conflict. */
  async function filled<T>(step: Step, recordedValue: T): Promise<T> {
    if (recordedValue === undefined) return recordedValue
    const { path, method } = step.request
    const isWatch = path.includes('watch=')
    const current =
      isWatch || method === 'POST' ? undefined : (await client.call({ path: objectPath(path) })).body
    const version = isWatch
      ? step.events?.[0]?.['type'] === 'ERROR'
        ? '1'
        : String(server.store.version())
      : step.status === 409
        ? '1'
        : current?.['metadata']?.resourceVersion
    const text = JSON.stringify(recordedValue)
      .replaceAll(/<uid-\d+>/g, (placeholder) => known.get(placeholder) ?? placeholder)
      .replaceAll('<rv>', version ?? '<rv>')
      .replaceAll('<time>', current?.['metadata']?.creationTimestamp ?? '2026-01-01T00:00:00Z')
    return JSON.parse(text)
  }

  function objectPath(path: string): string {
    return path.replace(/\/status$/, '')
  }

  async function write([method, path, body]: Write): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await client.call({ method, path, contentType, ...(body !== undefined && { body }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  }

  async function watchIsOpen(): Promise<void> {
    while (server.liveWatches()['gadgets'] === undefined)
      await new Promise((resolve) => setImmediate(resolve))
  }
})
