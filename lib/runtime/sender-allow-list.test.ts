import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maySpeakFor } from './sender-allow-list.ts'

const allowed = { lab: ['AROALAB', 'AIDAUSER'], edge: ['AROAEDGE:one-session'], local: ['*'], nobody: [''] }

describe('maySpeakFor', () => {
  it('lets a role speak in every session', () =>
    assert.equal(maySpeakFor('lab', 'AROALAB:i-0123', allowed), true))
  it('lets a user speak', () => assert.equal(maySpeakFor('lab', 'AIDAUSER', allowed), true))
  it('lets one listed session speak and no other', () => {
    assert.equal(maySpeakFor('edge', 'AROAEDGE:one-session', allowed), true)
    assert.equal(maySpeakFor('edge', 'AROAEDGE:another', allowed), false)
  })
  it('lets anybody speak where the list says so', () =>
    assert.equal(maySpeakFor('local', '000000000000', allowed), true))
  it('lets no watcher speak for another cluster', () =>
    assert.equal(maySpeakFor('edge', 'AROALAB:i-0123', allowed), false))
  it('knows no id that merely starts alike', () =>
    assert.equal(maySpeakFor('lab', 'AROALABX:i-0123', allowed), false))
  it('refuses an empty id even where the list has an empty entry', () => {
    assert.equal(maySpeakFor('nobody', '', allowed), false)
  })
  it('refuses a cluster that nobody configured, also one named like an object member', () => {
    assert.equal(maySpeakFor('elsewhere', 'AROALAB:x', allowed), false)
    assert.equal(maySpeakFor('constructor', 'AROALAB:x', allowed), false)
  })
})
