import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { localApi, type LocalApi } from '../../../../test/support/local-api.ts'
import { valueAt } from '../json.ts'

const pods = '/api/v1/namespaces/default/pods'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

describe('eviction', () => {
  let api: LocalApi
  const runPod = (name: string, ready: 'True' | 'False' = 'True'): void => {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
    api.must('POST', pods, { metadata: { name, labels: { app: 'a' } }, spec })
    api.must('PATCH', `${pods}/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
    })
  }
  const budget = (spec: object): void =>
    void api.must('POST', budgets, {
      metadata: { name: 'b' },
      spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
    })
  const evict = (name: string, body: object = {}): number =>
    api.ask('POST', `${pods}/${name}/eviction`, { metadata: { name }, ...body }).status
  beforeEach(() => {
    api = localApi()
  })

  it('marks the pod as a target and deletes it with its grace', () => {
    runPod('a')
    assert.equal(evict('a'), 201)
    const pod = api.must('GET', `${pods}/a`)
    assert.equal(valueAt(pod, ['metadata', 'deletionGracePeriodSeconds']), 30)
    assert.match(JSON.stringify(pod['status']), /DisruptionTarget/)
  })

  it('changes nothing on a dry run', () => {
    runPod('a')
    const before = api.must('GET', `${pods}/a`)
    assert.equal(evict('a', { deleteOptions: { dryRun: ['All'] } }), 201)
    assert.deepEqual(api.must('GET', `${pods}/a`), before)
  })

  const spoken: readonly (readonly [
    about: string,
    spec: object,
    ready: number,
    statuses: readonly number[],
  ])[] = [
    ['a number to keep', { minAvailable: 2 }, 3, [201, 429]],
    ['a share to keep, rounded up', { minAvailable: '50%' }, 3, [201, 429]],
    ['a number to lose', { maxUnavailable: 1 }, 3, [201, 429]],
    ['nothing to lose', { maxUnavailable: 0 }, 3, [429, 429]],
    ['everything to lose', { maxUnavailable: '100%' }, 3, [201, 201]],
    ['nothing at all, which keeps one', {}, 2, [201, 429]],
  ]
  for (const [about, spec, ready, statuses] of spoken) {
    it(`keeps to a budget of ${about}`, () => {
      for (const name of ['p0', 'p1', 'p2'].slice(0, ready)) runPod(name)
      budget(spec)
      assert.deepEqual(
        statuses.map((_, index) => evict(`p${index}`)),
        statuses,
      )
    })
  }

  it('lets an unhealthy pod go where the budget is met without it, or says so', () => {
    runPod('well')
    runPod('ill', 'False')
    budget({ minAvailable: 1 })
    assert.equal(evict('ill'), 201)
    api.must('DELETE', `${budgets}/b`)
    runPod('worse', 'False')
    budget({ minAvailable: 5 })
    assert.equal(evict('worse'), 429)
    api.must('DELETE', `${budgets}/b`)
    budget({ minAvailable: 5, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    assert.equal(evict('worse'), 201)
  })

  it('asks no budget for a pod that does not run', () => {
    budget({ minAvailable: 1 })
    api.must('POST', pods, {
      metadata: { name: 'new', labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    })
    assert.equal(evict('new'), 201)
    assert.equal(api.ask('GET', `${pods}/new`).status, 404)
  })

  it('cannot follow two budgets', () => {
    runPod('a')
    budget({ minAvailable: 0 })
    api.must('POST', budgets, { metadata: { name: 'c' }, spec: { selector: {}, minAvailable: 0 } })
    assert.equal(evict('a'), 500)
  })

  it('refuses another uid, another name and a budget that says two things', () => {
    runPod('a')
    assert.equal(evict('a', { deleteOptions: { preconditions: { uid: 'x' } } }), 409)
    assert.equal(api.ask('POST', `${pods}/a/eviction`, { metadata: { name: 'b' } }).status, 400)
    const both = { metadata: { name: 'b' }, spec: { selector: {}, minAvailable: 1, maxUnavailable: 1 } }
    assert.equal(api.ask('POST', budgets, both).status, 422)
  })
})
