import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { localApi, type LocalApi } from '../../../test/support/local-api.ts'
import { listOf, recordOf, textOf, valueAt } from './json.ts'

const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})
const definition = {
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const things = '/apis/example.com/v1/namespaces/default/things'
const thing = (name: string, spec: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
})

describe('the API without its network', () => {
  let api: LocalApi
  beforeEach(() => {
    api = localApi()
  })

  describe('writing', () => {
    it('changes nothing on a dry run', () => {
      assert.equal(api.ask('POST', `${pods}?dryRun=All`, pod('a')).status, 201)
      assert.equal(api.ask('GET', `${pods}/a`).status, 404)
      api.must('POST', pods, pod('a'))
      api.must('PATCH', `${pods}/a?dryRun=All`, { metadata: { labels: { x: 'y' } } })
      api.must('DELETE', `${pods}/a?dryRun=All`)
      assert.equal(valueAt(api.must('GET', `${pods}/a`), ['metadata', 'labels']), undefined)
    })

    it('writes nothing for a change that changes nothing', () => {
      api.must('POST', pods, pod('a'))
      const before = api.store.version()
      api.must('PATCH', `${pods}/a`, { metadata: { labels: {} } })
      assert.equal(api.store.version(), before)
    })

    it('keeps what only the server may say', () => {
      const made = api.must('POST', pods, pod('a'))
      const patch = {
        metadata: { creationTimestamp: null, generation: 99, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }
      assert.deepEqual(api.must('PATCH', `${pods}/a`, patch), made)
    })

    it('refuses an object that says it is another', () => {
      api.must('POST', pods, pod('a'))
      assert.equal(api.ask('PATCH', `${pods}/a`, { metadata: { name: 'b' } }).status, 400)
      assert.equal(api.ask('PATCH', `${pods}/a`, { metadata: { uid: 'x' } }).status, 409)
      assert.equal(api.ask('POST', pods, { ...pod('b'), kind: 'Node', apiVersion: 'v1' }).status, 400)
      assert.equal(api.ask('POST', pods, { metadata: { name: 'b', namespace: 'kube-system' } }).status, 400)
    })

    it('needs a namespace that is there', () => {
      assert.equal(api.ask('POST', '/api/v1/namespaces/nowhere/pods', pod('a')).status, 404)
    })

    it('refuses unknown fields of custom resources if it is asked to, and drops them otherwise', () => {
      api.must('POST', definitions, definition)
      const strict = api.ask('POST', `${things}?fieldValidation=Strict`, thing('a', { sise: 1 }))
      assert.equal(strict.status, 400)
      assert.match(textOf(strict.body['message']), /unknown field "spec\.sise"/)
      assert.deepEqual(api.must('POST', things, thing('a', { sise: 1 }))['spec'], { size: 1 })
    })
  })

  describe('custom resource definitions', () => {
    it('are served at once, and no longer once deleted', () => {
      assert.equal(api.ask('GET', things).status, 404)
      const made = api.must('POST', definitions, definition)
      const conditions = listOf(valueAt(made, ['status', 'conditions'])).map(recordOf)
      assert.deepEqual(
        conditions.map(({ type, status }) => [type, status]),
        [
          ['NamesAccepted', 'True'],
          ['Established', 'True'],
        ],
      )
      assert.equal(valueAt(made, ['spec', 'names', 'listKind']), 'ThingList')
      assert.equal(api.must('GET', things)['kind'], 'ThingList')
      api.must('POST', things, thing('a'))
      api.must('DELETE', `${definitions}/things.example.com`)
      assert.equal(api.ask('GET', things).status, 404)
      api.must('POST', definitions, definition)
      assert.deepEqual(api.must('GET', things)['items'], [])
    })

    const broken: readonly (readonly [about: string, change: (text: string) => string, field: RegExp])[] = [
      [
        'a name that is not plural and group',
        (text) => text.replace('"things.example.com"', '"other.example.com"'),
        /metadata\.name/,
      ],
      [
        'a rule that does not compile',
        (text) => text.replace('"default":1', '"x-kubernetes-validations":[{"rule":"self >"}]'),
        /rule/,
      ],
      ['an unknown type', (text) => text.replace('"integer"', '"whole"'), /type/],
      ['no storage version', (text) => text.replace('"storage":true', '"storage":false'), /spec\.versions/],
    ]
    for (const [about, change, field] of broken) {
      it(`are refused with ${about}`, () => {
        const answer = api.ask('POST', definitions, change(JSON.stringify(definition)))
        assert.equal(answer.status, 422)
        const [cause] = listOf(valueAt(answer.body, ['details', 'causes']))
        assert.match(textOf(recordOf(cause)['field']), field)
      })
    }
  })

  describe('kinds with rules of their own', () => {
    it('gives a pod the defaults, tolerations and class that a real server gives', () => {
      const made = api.must(
        'POST',
        pods,
        pod('a', { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 1 } } }] }),
      )
      assert.equal(valueAt(made, ['status', 'phase']), 'Pending')
      assert.equal(valueAt(made, ['status', 'qosClass']), 'Burstable')
      const spec = recordOf(made['spec'])
      assert.deepEqual(recordOf(listOf(spec['containers'])[0])['resources'], {
        limits: { cpu: '1' },
        requests: { cpu: '1' },
      })
      assert.deepEqual(
        listOf(spec['tolerations']).map((one) => recordOf(one)['key']),
        ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
      )
    })

    it('lets a pod be bound once, and its node never be changed otherwise', () => {
      api.must('POST', pods, pod('a'))
      const binding = { target: { kind: 'Node', name: 'n' } }
      api.must('POST', `${pods}/a/binding`, binding)
      assert.equal(api.ask('POST', `${pods}/a/binding`, binding).status, 409)
      assert.equal(api.ask('PATCH', `${pods}/a`, { spec: { nodeName: 'm' } }).status, 422)
      assert.equal(valueAt(api.must('GET', `${pods}/a`), ['spec', 'nodeName']), 'n')
    })

    it('ends a pod that no node has at once, and any other after its grace', () => {
      api.must('POST', pods, pod('free'))
      api.must('DELETE', `${pods}/free`)
      assert.equal(api.ask('GET', `${pods}/free`).status, 404)
      api.must('POST', pods, pod('bound', { nodeName: 'n' }))
      api.must('DELETE', `${pods}/bound`)
      assert.equal(valueAt(api.must('GET', `${pods}/bound`), ['metadata', 'deletionGracePeriodSeconds']), 30)
      api.must('DELETE', `${pods}/bound`, { gracePeriodSeconds: 0 })
      assert.equal(api.ask('GET', `${pods}/bound`).status, 404)
    })

    it('keeps an immutable Secret, and takes no type without its keys', () => {
      const secrets = '/api/v1/namespaces/default/secrets'
      api.must('POST', secrets, { metadata: { name: 's' }, stringData: { a: '1' }, immutable: true })
      assert.equal(api.ask('PATCH', `${secrets}/s`, { stringData: { a: '2' } }).status, 422)
      assert.equal(
        api.ask('POST', secrets, { metadata: { name: 't' }, type: 'kubernetes.io/ssh-auth' }).status,
        422,
      )
    })

    it('takes no new content into a namespace that goes, and lets it go when it is empty', () => {
      api.must('POST', '/api/v1/namespaces', { metadata: { name: 'short' } })
      assert.equal(
        valueAt(api.must('DELETE', '/api/v1/namespaces/short'), ['status', 'phase']),
        'Terminating',
      )
      assert.equal(api.ask('POST', '/api/v1/namespaces/short/pods', pod('a')).status, 403)
      api.must('PUT', '/api/v1/namespaces/short/finalize', {
        metadata: { name: 'short' },
        spec: { finalizers: [] },
      })
      assert.equal(api.ask('GET', '/api/v1/namespaces/short').status, 404)
    })

    it('shows and changes the scale of a workload', () => {
      const deployments = '/apis/apps/v1/namespaces/default/deployments'
      const template = { metadata: { labels: { a: 'b' } }, spec: {} }
      api.must('POST', deployments, {
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      })
      assert.equal(valueAt(api.must('GET', `${deployments}/d/scale`), ['spec', 'replicas']), 1)
      api.must('PATCH', `${deployments}/d/scale`, { spec: { replicas: 3 } })
      const scaled = api.must('GET', `${deployments}/d`)
      assert.deepEqual(
        [valueAt(scaled, ['spec', 'replicas']), valueAt(scaled, ['metadata', 'generation'])],
        [3, 2],
      )
      assert.equal(api.ask('PATCH', `${deployments}/d/scale`, { spec: { replicas: -1 } }).status, 400)
    })
  })

  describe('showing', () => {
    it('makes a table for people', () => {
      api.must('POST', pods, pod('a'))
      const table = api.ask('GET', pods, undefined, {
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      }).body
      const [row] = listOf(table['rows']).map(recordOf)
      assert.deepEqual(listOf(row?.['cells']).slice(0, 3), ['a', '0/1', 'Pending'])
    })

    it('shows metadata alone to those who ask for that', () => {
      api.must('POST', pods, pod('a'))
      const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
      const list = api.ask('GET', pods, undefined, { accept }).body
      assert.equal(list['kind'], 'PartialObjectMetadataList')
      assert.deepEqual(Object.keys(recordOf(listOf(list['items'])[0])), ['kind', 'apiVersion', 'metadata'])
    })

    it('has no other form than JSON', () => {
      assert.equal(
        api.ask('GET', pods, undefined, { accept: 'application/vnd.kubernetes.protobuf' }).status,
        406,
      )
      assert.equal(
        api.ask('GET', pods, undefined, { accept: 'application/vnd.kubernetes.protobuf, application/json' })
          .status,
        200,
      )
    })
  })

  describe('bad input', () => {
    const bad: readonly (readonly [
      about: string,
      method: string,
      url: string,
      body: string | undefined,
      status: number,
    ])[] = [
      ['no JSON', 'POST', pods, '{', 400],
      ['a list for an object', 'POST', pods, '[]', 400],
      ['no name', 'POST', pods, '{}', 400],
      ['labels that are no texts', 'POST', pods, '{"metadata":{"name":"a","labels":{"a":1}}}', 400],
      ['a label that is none', 'POST', pods, '{"metadata":{"name":"a","labels":{"a b":"c"}}}', 422],
      ['nothing to run', 'POST', pods, '{"metadata":{"name":"a"},"spec":{}}', 422],
      ['a nesting without end', 'POST', pods, '['.repeat(5000) + ']'.repeat(5000), 400],
      ['a limit that is none', 'GET', `${pods}?limit=x`, undefined, 400],
      ['a version that is none', 'GET', `${pods}?watch=1&resourceVersion=x`, undefined, 400],
      ['a selector that is none', 'GET', `${pods}?labelSelector=%3D`, undefined, 400],
      ['a path with a broken escape', 'GET', `${pods}/%zz`, undefined, 400],
      ['a negative grace period', 'DELETE', `${pods}/a?gracePeriodSeconds=-1`, undefined, 404],
      ['a method that nobody knows', 'BREW', pods, undefined, 404],
      ['a subresource that is none', 'GET', `${pods}/a/coffee`, undefined, 404],
      ['a path with too many parts', 'GET', `${pods}/a/status/more`, undefined, 404],
    ]
    for (const [about, method, url, body, status] of bad) {
      it(`answers ${status} to ${about}`, () => {
        assert.equal(api.ask(method, url, body).status, status)
      })
    }

    it('keeps a field named __proto__ from doing harm', () => {
      api.must(
        'POST',
        pods,
        '{"metadata":{"name":"a","__proto__":{"x":1}},"__proto__":{"y":1},"spec":{"containers":[{"name":"c","image":"i"}]}}',
      )
      api.must('PATCH', `${pods}/a`, '{"__proto__":{"z":1}}')
      assert.equal(Object.hasOwn(Object.prototype, 'x') || Object.hasOwn(Object.prototype, 'z'), false)
    })
  })
})
