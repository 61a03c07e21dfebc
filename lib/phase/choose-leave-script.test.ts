import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import { aJoinedHost } from '../../test/support/builders/hosts.ts'
import { chooseLeaveScript, leaveRecipeOf } from './choose-leave-script.ts'

function aProfile(version: string, leave: string): SSHJoinProfile {
  const metadata = { name: 'demo', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  const scripts = { install: 'i', join: 'j', leave }
  const timeouts = { leave: '7m' }
  return SSHJoinProfile.parse({ metadata, spec: { version, scripts, timeouts, agentUnits: ['k0s'] } })
}
const host = aJoinedHost({ installed: 'demo@1' })
const recipe = leaveRecipeOf(aProfile('1', 'leave as it was'), () => 'digest')

describe('chooseLeaveScript', () => {
  it('POOL-01: takes the live profile while it is the version that was installed', () => {
    const chosen = chooseLeaveScript(host, aProfile('1', 'live'), recipe)
    assert.equal(chosen?.source, 'installed-version')
    assert.equal(chosen.profile.spec.scripts.leave, 'live')
    assert.equal(chosen.timeoutMs, 420_000)
  })

  it('ref flaw 8: takes the recipe once the profile has another version or is gone', () => {
    for (const live of [aProfile('2', 'live'), undefined]) {
      const chosen = chooseLeaveScript(host, live, recipe)
      assert.equal(chosen?.source, 'recipe')
      assert.equal(chosen.profile.spec.scripts.leave, 'leave as it was')
      assert.equal(chosen.timeoutMs, 420_000)
      assert.deepEqual(chosen.profile.spec.agentUnits, ['k0s'])
    }
  })

  it('takes another version of the profile where the table lost the recipe', () => {
    assert.equal(chooseLeaveScript(host, aProfile('2', 'live'), undefined)?.source, 'other-version')
  })

  it('has nothing to run where neither is known', () => {
    assert.equal(chooseLeaveScript(host, undefined, undefined), undefined)
  })
})

describe('leaveRecipeOf', () => {
  it('keeps all that a leave needs', () => {
    assert.deepEqual(recipe, {
      digest: 'digest',
      profile: 'demo',
      version: '1',
      script: 'leave as it was',
      timeoutMs: 420_000,
      agentUnits: ['k0s'],
    })
  })
})
