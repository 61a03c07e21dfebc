// What the smaller ports of the table promise.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type {
  Clusters,
  History,
  LeaveRecipe,
  LeaveRecipes,
  NodeClaimBindings,
} from '../../lib/hosts/ports.ts'
import { aHostKey, t0 } from '../support/builders/hosts.ts'
import type { Subject } from './host-store.contract.ts'

export interface State {
  readonly bindings: NodeClaimBindings
  readonly recipes: LeaveRecipes
  readonly history: History
  readonly clusters: Clusters
}

const recipe: LeaveRecipe = {
  digest: 'sha-1',
  profile: 'demo',
  version: '1',
  script: 'systemctl disable --now kubelet\n',
  timeoutMs: 180_000,
  agentUnits: ['kubelet'],
}

export function stateContract(name: string, start: () => Promise<Subject<State>>): void {
  describe(`the state beside hosts, ${name}`, () => {
    let state: State
    let stop: () => Promise<void>
    before(async () => {
      const started = await start()
      state = started.subject
      stop = () => started.stop()
    })
    after(() => stop())

    it('binds a NodeClaim to one host ever, and says which', async () => {
      const { bindings } = state
      assert.equal(await bindings.get('uid-a'), undefined)
      assert.deepEqual(await bindings.bind('uid-a', aHostKey('h1')), { kind: 'bound' })
      assert.deepEqual(await bindings.bind('uid-a', aHostKey('h2')), { kind: 'other', host: aHostKey('h1') })
      assert.deepEqual(await bindings.get('uid-a'), aHostKey('h1'))
    })

    it('DDB-01: reads binding to the same host again as bound', async () => {
      await state.bindings.bind('uid-b', aHostKey('h1'))
      assert.deepEqual(await state.bindings.bind('uid-b', aHostKey('h1')), { kind: 'bound' })
    })

    it('takes a binding back only from the host it names', async () => {
      await state.bindings.bind('uid-c', aHostKey('h1'))
      await state.bindings.unbind('uid-c', aHostKey('h2'))
      assert.deepEqual(await state.bindings.get('uid-c'), aHostKey('h1'))
      await state.bindings.unbind('uid-c', aHostKey('h1'))
      await state.bindings.unbind('uid-c', aHostKey('h1'))
      assert.deepEqual(await state.bindings.bind('uid-c', aHostKey('h2')), { kind: 'bound' })
    })

    it('lets one of two hosts have a NodeClaim', async () => {
      const outcomes = await Promise.all([
        state.bindings.bind('uid-d', aHostKey('h1')),
        state.bindings.bind('uid-d', aHostKey('h2')),
      ])
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['bound', 'other'])
    })

    it('keeps a leave recipe by its digest, signed or not', async () => {
      const signed = { ...recipe, digest: 'sha-2', signature: 'armored' }
      await state.recipes.put(recipe)
      await state.recipes.put(recipe)
      await state.recipes.put(signed)
      assert.deepEqual(await state.recipes.get('sha-1'), recipe)
      assert.deepEqual(await state.recipes.get('sha-2'), signed)
      assert.equal(await state.recipes.get('sha-3'), undefined)
    })

    it('keeps a recipe of the largest script that a profile may have', async () => {
      const large = { ...recipe, digest: 'sha-large', script: 'x'.repeat(256 * 1024) }
      await state.recipes.put(large)
      assert.deepEqual(await state.recipes.get('sha-large'), large)
    })

    it('lists the history of one host, newest first, also of one instant', async () => {
      const entry = (kind: string, atMs: number) => ({
        host: aHostKey('h1'),
        atMs,
        kind,
        facts: { phase: 'join', durationMs: 12, isClean: true },
      })
      const entries = [entry('claimed', t0), entry('run-started', t0 + 1), entry('run-finished', t0 + 1)]
      for (const one of entries) await state.history.append(one)
      await state.history.append({ ...entry('claimed', t0 + 9), host: aHostKey('h10') })
      const listed = await state.history.list(aHostKey('h1'), 10)
      assert.equal(listed.length, 3)
      assert.deepEqual(listed[2], entries[0])
      assert.equal((await state.history.list(aHostKey('h1'), 2)).length, 2)
    })

    it('makes one installation id and keeps it', async () => {
      const [one, two] = await Promise.all([state.clusters.installation(), state.clusters.installation()])
      assert.equal(one, two)
      assert.equal(await state.clusters.installation(), one)
    })

    it('remembers the latest heartbeat of a cluster, whatever order they come in', async () => {
      const { clusters } = state
      assert.equal(await clusters.get('lab'), undefined)
      await clusters.observed('lab', t0 + 30_000, 'cluster-uid')
      await clusters.observed('lab', t0, 'cluster-uid')
      assert.deepEqual(await clusters.get('lab'), {
        cluster: 'lab',
        installationID: await clusters.installation(),
        observedAtMs: t0 + 30_000,
        clusterUid: 'cluster-uid',
      })
    })
  })
}
