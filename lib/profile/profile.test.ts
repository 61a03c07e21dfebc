import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { profileMarker, timeoutMs, varsDigest, type Profile } from './profile.ts'

function aProfile(spec: Partial<Profile['spec']> = {}): Profile {
  return { metadata: { name: 'test' }, spec: { scripts: {}, ...spec } }
}

describe('timeoutMs', () => {
  it('takes the default of each phase', () => {
    assert.equal(timeoutMs(aProfile(), 'install'), 600_000)
    assert.equal(timeoutMs(aProfile(), 'join'), 300_000)
    assert.equal(timeoutMs(aProfile(), 'leave'), 180_000)
    assert.equal(timeoutMs(aProfile(), 'uninstall'), 600_000)
  })
  it("takes the profile's own, unless it is zero", () => {
    assert.equal(timeoutMs(aProfile({ timeouts: { join: '1h30m' } }), 'join'), 5_400_000)
    assert.equal(timeoutMs(aProfile({ timeouts: { join: '0s' } }), 'join'), 300_000)
  })
})

describe('profileMarker', () => {
  it('ref 64: is name and version, 1 without one', () => {
    assert.equal(profileMarker(aProfile({ version: '3' })), 'test@3')
    assert.equal(profileMarker(aProfile({ version: '' })), 'test@1')
    assert.equal(profileMarker(aProfile()), 'test@1')
  })
})

describe('varsDigest', () => {
  it('does not depend on the order of keys', () => {
    assert.equal(varsDigest(aProfile(), { a: '1', b: '2' }), varsDigest(aProfile(), { b: '2', a: '1' }))
  })
  it('tells every difference', () => {
    const digests = [{}, { a: '' }, { a: '1' }, { a: '1', b: '' }, { a: '1","b":"' }].map((vars) =>
      varsDigest(aProfile(), vars),
    )
    assert.equal(new Set(digests).size, 5)
  })
  it('stays what it was, or every host would be installed again', () => {
    assert.equal(varsDigest(aProfile()), '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
    assert.equal(
      varsDigest(aProfile(), { k8sMinor: '1.34' }),
      '39d38bc902f76ef8ecd2788797fbd9d2e8d9940e68bfde7f8ec929129fde34e5',
    )
  })
  it('covers defaults: a changed default is a changed var, a default that is passed is not', () => {
    const declaring = (value: string) => aProfile({ parameters: [{ name: 'a', default: value }] })
    assert.equal(varsDigest(declaring('1')), varsDigest(aProfile(), { a: '1' }))
    assert.equal(varsDigest(declaring('1'), { a: '1' }), varsDigest(declaring('1')))
    assert.notEqual(varsDigest(declaring('1')), varsDigest(declaring('2')))
    assert.equal(varsDigest(declaring('1'), { a: '2' }), varsDigest(declaring('2')))
  })
})
