import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aJoinedHost } from '../../test/support/builders/hosts.ts'
import { anSSHHost } from '../../test/support/builders/kubernetes.ts'
import { planFinalizers } from './hold-hosts.ts'

const ours = 'karpenter.dklesev.github.io/membership'
const going = '2026-01-01T00:00:00Z'

describe('planFinalizers', () => {
  it('holds an SSHHost while its host is a member, and lets go afterwards', () => {
    assert.deepEqual(planFinalizers(anSSHHost(), aJoinedHost()), [ours])
    assert.equal(planFinalizers(anSSHHost({ metadata: { finalizers: [ours] } }), aJoinedHost()), undefined)
    assert.deepEqual(planFinalizers(anSSHHost({ metadata: { finalizers: [ours] } }), aHost()), [])
    assert.equal(planFinalizers(anSSHHost(), aHost()), undefined)
  })

  it('keeps the finalizers of others', () => {
    const others = anSSHHost({ metadata: { finalizers: ['example.com/other'] } })
    assert.deepEqual(planFinalizers(others, aJoinedHost()), ['example.com/other', ours])
    const both = anSSHHost({ metadata: { finalizers: ['example.com/other', ours] } })
    assert.deepEqual(planFinalizers(both, aHost()), ['example.com/other'])
  })

  it('keeps holding one whose leave is still owed after its claim ended', () => {
    const owed = aHost({ state: 'Unhealthy', leavePending: true })
    const sshHost = anSSHHost({ metadata: { finalizers: [ours], deletionTimestamp: going } })
    assert.equal(planFinalizers(sshHost, owed), undefined)
  })

  it('adds nothing to one that is being deleted, and lets it go if the table does not know its host', () => {
    const deleted = anSSHHost({ metadata: { finalizers: ['example.com/other'], deletionTimestamp: going } })
    assert.equal(planFinalizers(deleted, aJoinedHost()), undefined)
    const unknown = anSSHHost({ metadata: { finalizers: [ours], deletionTimestamp: going } })
    assert.deepEqual(planFinalizers(unknown, undefined), [])
  })
})
