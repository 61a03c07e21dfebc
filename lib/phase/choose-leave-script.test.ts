import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import { aJoinedHost } from '../../test/support/builders/hosts.ts'
import { leaveRecipeOf, leaveScripts } from './choose-leave-script.ts'

function aProfile(version: string, leave: string): SSHJoinProfile {
  const metadata = { name: 'demo', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  const scripts = { install: 'i', join: 'j', leave }
  const timeouts = { leave: '7m' }
  return SSHJoinProfile.parse({ metadata, spec: { version, scripts, timeouts, agentUnits: ['k0s'] } })
}
const host = aJoinedHost({ installed: 'demo@1' })
const recipe = leaveRecipeOf(aProfile('1', 'leave as it was'), () => 'digest')

describe('leaveScripts', () => {
  it('POOL-01: takes the live profile while it is the version that was installed, the recipe next', () => {
    const [chosen, next] = leaveScripts(host, aProfile('1', 'live'), recipe)
    assert.equal(chosen?.source, 'installed-version')
    assert.equal(chosen.profile.spec.scripts.leave, 'live')
    assert.equal(chosen.timeoutMs, 420_000)
    assert.equal(next?.source, 'recipe')
  })

  it('ref flaw 8: takes the recipe once the profile has another version or is gone', () => {
    for (const live of [aProfile('2', 'live'), undefined]) {
      const [chosen] = leaveScripts(host, live, recipe)
      assert.equal(chosen?.source, 'recipe')
      assert.equal(chosen.profile.spec.scripts.leave, 'leave as it was')
      assert.equal(chosen.timeoutMs, 420_000)
      assert.deepEqual(chosen.profile.spec.agentUnits, ['k0s'])
    }
  })

  it('takes another version of the profile where the table lost the recipe', () => {
    assert.equal(leaveScripts(host, aProfile('2', 'live'), undefined)[0]?.source, 'other-version')
  })

  it('has nothing to run where neither is known', () => {
    assert.deepEqual(leaveScripts(host, undefined, undefined), [])
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

describe('the name of a recipe', () => {
  const digest = (text: string) => text

  it('is the digest of the script where nothing is signed', () => {
    assert.equal(leaveRecipeOf(aProfile('1', 'leave'), digest).digest, 'leave')
  })

  it('changes with what is signed, so that a new signature does not take the place of an old one', () => {
    const profile = aProfile('1', 'leave')
    const manifests = { leave: { manifest: 'm', signature: 's' } }
    const signed = { ...profile, spec: { ...profile.spec, signatures: { leave: 'v1' }, manifests } }
    const recipe = leaveRecipeOf(signed, digest)
    assert.equal(recipe.digest, '["leave","v1","m","s"]')
    assert.equal(recipe.signature, 'v1')
    assert.deepEqual(recipe.manifest, { manifest: 'm', signature: 's' })
  })
})
