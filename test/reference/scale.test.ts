// What the size of a pool or of a burst may cost.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kubeconfigConnection } from '../../lib/adapters/kubernetes/connection.ts'
import { TransientError } from '../../lib/errors/transient-error.ts'
import { makeChangeHost } from '../../lib/hosts/change-host.ts'
import type { HostStore } from '../../lib/hosts/ports.ts'
import type { RunPhase } from '../../lib/messages/run-phase.ts'
import { makeRunPhase } from '../../lib/phase/run-phase.ts'
import { requestRules } from '../../lib/runtime/request-rules.ts'
import { aHost, aHostKey, t0 } from '../support/builders/hosts.ts'
import { aRunPhase } from '../support/builders/messages.ts'
import { fakeClock, type FakeClock } from '../support/fakes/clock.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { fakeMessageSender } from '../support/fakes/message-sender.ts'
import { fakeRandom } from '../support/fakes/random.ts'
import { aWarmHost, makePhaseWorld } from '../support/worlds/phase-world.ts'

/** Calls of the table by name, and requests of the API server, that one warm join makes in a pool of that size. */
async function costOfJoin(poolSize: number): Promise<Readonly<Record<string, number>>> {
  const others = Array.from({ length: poolSize - 1 }, (_, index) => aHost({ name: `other-${index}` }))
  const world = makePhaseWorld({ hosts: [aWarmHost(), ...others] })
  const counts: Record<string, number> = {}
  const count = (name: string) => (counts[name] = (counts[name] ?? 0) + 1)
  const hosts: HostStore = {
    ...world.hosts,
    get: (key) => (count('table get'), world.hosts.get(key)),
    list: (pool) => (count('table list'), world.hosts.list(pool)),
    pools: () => (count('table pools'), world.hosts.pools()),
    write: (...write) => (count('table write'), world.hosts.write(...write)),
  }
  const changeHost = makeChangeHost({ hosts, nextWriteID: () => world.deps.ids.next() })
  const runPhase = makeRunPhase({ ...world.deps, hosts, changeHost })
  const scope = { clock: world.clock, log: fakeLog(), deadlineAtMs: world.clock.nowMs() + 60_000 }
  const outcome = await runPhase(aRunPhase(), scope)
  assert.equal(outcome.kind === 'done' && outcome.result, 'succeeded')
  for (const request of world.kubernetes.requests) count(request.split(' ')[0] ?? '')
  return counts
}

describe('a join', () => {
  it('POOL-15: costs the same in a pool of 1,000 hosts as in a pool of one, and lists nothing', async () => {
    const alone = await costOfJoin(1)
    assert.deepEqual(await costOfJoin(1_000), alone)
    assert.deepEqual(
      [alone['table list'], alone['table pools'], alone['list']],
      [undefined, undefined, undefined],
    )
  })
})

/** Lets `burst` through at once and `perSecond` from then on; refuses the rest, as a throttled API does. */
function makeThrottle(
  clock: FakeClock,
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
) {
  let tokens = burst
  let filledAtMs = clock.nowMs()
  return function take(): void {
    tokens = Math.min(burst, tokens + ((clock.nowMs() - filledAtMs) / 1000) * perSecond)
    filledAtMs = clock.nowMs()
    if (tokens < 1)
      throw new TransientError('Cannot read: throttled, it is tried again', { reason: 'Throttled' })
    tokens -= 1
  }
}

describe('a burst against an API with a small bucket', () => {
  it('SQS-02: is spread out by the retries themselves: each message is tried a few times, and all come through', async () => {
    const clock = fakeClock(t0)
    const sender = fakeMessageSender()
    const random = fakeRandom(...Array.from({ length: 997 }, (_, index) => (index * 7_919) % 997))
    const rules = requestRules('join', { messages: sender, clock, random })
    const take = makeThrottle(clock, { burst: 5, perSecond: 2 })
    let due: { readonly atMs: number; readonly message: RunPhase }[] = Array.from(
      { length: 122 },
      (_, index) => ({
        atMs: t0,
        message: aRunPhase({ host: aHostKey(`h${index}`) }),
      }),
    )
    let [invocations, served, lastAtMs] = [0, 0, t0]
    while (due.length > 0) {
      const [next, ...rest] = due.sort((a, b) => a.atMs - b.atMs)
      if (next === undefined) break
      clock.advance(next.atMs - clock.nowMs())
      invocations += 1
      try {
        take()
        ;[served, lastAtMs] = [served + 1, clock.nowMs()]
      } catch (error) {
        const { message } = next
        const verdict = await rules.failed({ message, body: JSON.stringify(message) }, error)
        assert.equal(verdict.acknowledge, true)
      }
      const again = sender
        .take('join')
        .flatMap(({ message, delaySeconds = 0 }) =>
          message.type === 'RunPhase' ? [{ atMs: clock.nowMs() + delaySeconds * 1000, message }] : [],
        )
      due = [...rest, ...again]
    }
    assert.equal(served, 122)
    assert.deepEqual(sender.deadLetters, [])
    assert.ok(invocations <= 122 * 5, `${invocations} invocations`)
    // In theory 58.5 s; a retry waits longer each time, and nobody knows when the bucket is full again.
    assert.ok(lastAtMs - t0 <= 180_000, `${(lastAtMs - t0) / 1000} s`)
  })
})

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'lab', cluster: { server: 'https://192.0.2.100:6443' } }],
  users: [{ name: 'kpssh', user: { token: 'a-token' } }],
  contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'kpssh' } }],
  'current-context': 'lab',
})

describe('secrets in a burst of 200', () => {
  it('SQS-27: the kubeconfig is read once per container, the only thing that is asked of Secrets Manager', async () => {
    let reads = 0
    const connection = kubeconfigConnection({
      text: () => {
        reads += 1
        return Promise.resolve(kubeconfig)
      },
    })
    await Promise.all(Array.from({ length: 200 }, () => connection.open()))
    for (let time = 0; time < 200; time += 1) await connection.open()
    connection.close()
    assert.equal(reads, 1)
  })

  it('SQS-27: the SSH key is read once per contact, so that a rotated one counts at once', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(aRunPhase())
    const reads = world.kubernetes.requests.filter((request) => request === 'get secrets/ssh-key')
    assert.equal(reads.length, 1)
  })
})
