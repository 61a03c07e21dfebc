import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aClaim,
  aClaimedHost,
  aHost,
  aHostKey,
  aJoinedHost,
  aRun,
  t0,
} from '../../test/support/builders/hosts.ts'
import { aGuardWorld } from '../../test/support/worlds/guard-world.ts'
import { TransientError } from '../errors/transient-error.ts'
import { nodeClaims } from '../kubernetes/resources.ts'

const unavailable = new TransientError(
  'Cannot read: the API server answered 500, it must be tried again later',
)

describe('a claim whose NodeClaim exists', () => {
  it('stays, also while the NodeClaim is being deleted', async () => {
    const world = aGuardWorld(aJoinedHost())
    world.putNodeClaim()
    await world.kubernetes.delete(nodeClaims, 'workers-abcde')
    const counts = await world.guard(world.scope)
    assert.equal(counts.marked, 0)
    assert.equal(world.record()?.claim?.uid, 'uid-1')
    world.sender.assertIdle()
  })

  it('SQS-07: stays when only the list does not show it', async () => {
    const world = aGuardWorld(aJoinedHost())
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.putNodeClaim()
    }
    const counts = await world.guard(world.scope)
    assert.deepEqual([counts.marked, counts.spared, counts.staleClaims], [1, 1, 0])
    world.sender.assertIdle()
  })
})

describe('a claim of which a rebuilt table knows only the name', () => {
  const nameless = aClaimedHost({ claim: aClaim({ uid: '' }) })

  it('stays while a NodeClaim of that name exists', async () => {
    const world = aGuardWorld(nameless)
    world.putNodeClaim('uid-of-the-name')
    const counts = await world.guard(world.scope)
    assert.equal(counts.marked, 0)
    assert.equal(world.record()?.claim?.nodeClaim, 'workers-abcde')
  })

  it('is released when none does', async () => {
    const world = aGuardWorld(nameless)
    await world.guard(world.scope)
    assert.equal(world.record()?.claim, undefined)
  })
})

describe('a claim whose NodeClaim is gone', () => {
  it('SQS-08: is released at once if nothing ever joined under it', async () => {
    const world = aGuardWorld(aClaimedHost())
    const counts = await world.guard(world.scope)
    assert.equal(world.record()?.state, 'Available')
    assert.equal(world.record()?.claim, undefined)
    assert.deepEqual([counts.marked, counts.confirmed, counts.staleClaims], [1, 1, 1])
  })

  it('is stale as well when the name has another uid', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.putNodeClaim('uid-2')
    await world.guard(world.scope)
    assert.equal(world.record()?.claim, undefined)
  })

  it('leaves first if something joined under it: the leave releases it', async () => {
    const world = aGuardWorld(aJoinedHost())
    const counts = await world.guard(world.scope)
    const [leave, ...rest] = world.sender.take('leave')
    assert.deepEqual(rest, [])
    assert.deepEqual(leave?.message, {
      type: 'RunPhase',
      version: 1,
      cluster: 'lab',
      phase: 'leave',
      host: { pool: 'lab', namespace: 'kpssh-system', name: 'h1' },
      nodeClaim: { name: 'workers-abcde', uid: 'uid-1' },
      reason: 'NodeClaimGone',
      attempt: 1,
      requestedAtMs: t0,
      deadlineAtMs: t0 + 1_800_000,
    })
    assert.equal(world.record()?.claim?.uid, 'uid-1')
    assert.equal(counts.staleClaims, 1)
  })

  it('EKS-12: asks for the leave again when that succeeded but its Node may still be there', async () => {
    const left = aJoinedHost({ leavePending: false, claim: aClaim({ joinedAtMs: t0, leftAtMs: t0 }) })
    const world = aGuardWorld(left)
    await world.guard(world.scope)
    assert.equal(world.sender.take('leave').length, 1)
    assert.equal(world.record()?.claim?.uid, 'uid-1')
  })

  it('waits while the last leave backs off', async () => {
    const failures = { count: 0, lastReason: 'LeaveFailed', lastMessage: '', notBeforeMs: t0 + 1 }
    const world = aGuardWorld(aJoinedHost({ failures, leaveAttempts: 1 }))
    const counts = await world.guard(world.scope)
    assert.equal(counts.spared, 1)
    world.sender.assertIdle()
  })
})

describe('a claim of which nobody knows', () => {
  it('SQS-08: stays when the list fails', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.kubernetes.before = () => {
      throw unavailable
    }
    const counts = await world.guard(world.scope)
    assert.equal(world.record()?.claim?.uid, 'uid-1')
    assert.deepEqual([counts.errors, counts.staleClaims], [1, 0])
  })

  it('SQS-08: stays when the second look fails, and others are still looked at', async () => {
    const other = aClaimedHost({
      key: { pool: 'lab', namespace: 'kpssh-system', name: 'h2' },
      claim: aClaim({ nodeClaim: 'workers-other', uid: 'uid-other' }),
    })
    const world = aGuardWorld(aClaimedHost(), other)
    world.kubernetes.before = (verb, _plural, name) => {
      if (verb === 'get' && name === 'workers-abcde') throw unavailable
    }
    const counts = await world.guard(world.scope)
    assert.equal(world.record('h1')?.claim?.uid, 'uid-1')
    assert.equal(world.record('h2')?.claim, undefined)
    assert.deepEqual([counts.errors, counts.marked, counts.spared, counts.staleClaims], [1, 2, 1, 1])
  })

  it('POOL-17: stays on a host that a rebuilt table has not confirmed yet', async () => {
    const world = aGuardWorld(aJoinedHost({ takenIn: false }))
    await world.guard(world.scope)
    assert.equal(world.record()?.claim?.uid, 'uid-1')
    assert.deepEqual(world.sender.take('leave'), [])
  })
})

describe('a claim that changes hands between look and act', () => {
  it('POOL-11: the successor keeps the host', async () => {
    const world = aGuardWorld(aClaimedHost())
    const successor = aClaimedHost({ version: 3, claim: aClaim({ uid: 'uid-2' }) })
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.hosts.put(successor)
    }
    const counts = await world.guard(world.scope)
    assert.equal(world.record()?.claim?.uid, 'uid-2')
    assert.deepEqual([counts.spared, counts.staleClaims], [1, 0])
  })

  it('POOL-11: a successor that joined already is not asked to leave', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.hosts.put(aJoinedHost({ version: 4, claim: aClaim({ uid: 'uid-2' }) }))
    }
    await world.guard(world.scope)
    world.sender.assertIdle()
  })

  it('a leave that started meanwhile is not asked for again', async () => {
    const world = aGuardWorld(aJoinedHost())
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.hosts.put(aJoinedHost({ version: 2, run: aRun({ phase: 'leave' }) }))
    }
    await world.guard(world.scope)
    world.sender.assertIdle()
  })

  it('a host that was forgotten meanwhile is nobody to release', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.kubernetes.before = async (verb) => {
      if (verb === 'get') await world.hosts.remove(aHostKey(), 1)
    }
    const counts = await world.guard(world.scope)
    assert.deepEqual([counts.spared, counts.errors], [1, 0])
  })

  it('a run that started meanwhile is left to its watcher', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.hosts.put(aClaimedHost({ version: 2, run: aRun() }))
    }
    await world.guard(world.scope)
    assert.equal(world.record()?.claim?.uid, 'uid-1')
  })

  it('SQS-19: two guards at once release it once and harm nobody who takes the host in between', async () => {
    const world = aGuardWorld(aClaimedHost())
    const both = await Promise.all([world.guard(world.scope), world.guard(world.scope)])
    assert.equal(both[0].staleClaims + both[1].staleClaims, 1)
    assert.deepEqual(world.hosts.causes, ['released'])
    assert.equal(world.record()?.state, 'Available')
  })

  it('a release between look and act is not done again', async () => {
    const world = aGuardWorld(aClaimedHost())
    world.kubernetes.before = (verb) => {
      if (verb === 'get') world.hosts.put(aHost({ version: 2 }))
    }
    const counts = await world.guard(world.scope)
    assert.equal(counts.staleClaims, 0)
    assert.deepEqual(world.hosts.causes, [])
  })
})
