import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assign, attainable, hostOf, type Assignment } from './assignment.ts'

/** Assigns NodeClaims 0, 1, 2… in turn; each string lists the hosts that one accepts. */
function assignAll(...wishes: string[]): Assignment | undefined {
  return wishes.reduce<Assignment | undefined>(
    (before, _, index) => before && assign(before, index, (number) => Array.from(wishes[number] ?? '')),
    new Map(),
  )
}
function hosts(assignment: Assignment | undefined, count: number): string {
  return Array.from({ length: count }, (_, index) => (assignment && hostOf(assignment, index)) ?? '-').join(
    '',
  )
}

describe('assign', () => {
  it('takes the first free host', () => {
    assert.equal(hosts(assignAll('ab', 'ab'), 2), 'ab')
  })

  it('moves another to a host of its own choice where that helps', () => {
    assert.equal(hosts(assignAll('ab', 'a'), 2), 'ba')
    assert.equal(hosts(assignAll('ab', 'bc', 'a'), 3), 'bca')
  })

  it('finds no way where there is none', () => {
    assert.equal(assignAll('a', 'a'), undefined)
    assert.equal(assignAll('ab', 'ab', 'ab'), undefined)
    assert.equal(assignAll(''), undefined)
  })

  it('moves the newer before the older', () => {
    assert.equal(hosts(assignAll('ac', 'bc', 'ab'), 3), 'acb')
  })

  it('leaves a host when its NodeClaim is assigned again', () => {
    const before = assignAll('a')!
    assert.deepEqual([...assign(before, 0, () => ['b'])!], [['b', 0]])
  })
})

describe('attainable', () => {
  const wishes = ['ab', 'bc']
  const choices = (number: number) => Array.from(wishes[number] ?? '')
  const assignment: Assignment = new Map([
    ['a', 0],
    ['b', 1],
  ])

  it('names free hosts, and those whose holder can move on', () => {
    assert.deepEqual([...attainable(assignment, { hosts: ['a', 'b', 'c'], choices })].sort(), ['a', 'b', 'c'])
    assert.deepEqual([...attainable(assignment, { hosts: ['a', 'b'], choices })], [])
  })

  it('counts the host that is given up as free', () => {
    assert.deepEqual([...attainable(assignment, { hosts: ['a', 'b'], choices, leaving: 0 })], ['a'])
    assert.deepEqual([...attainable(assignment, { hosts: ['a', 'b'], choices, leaving: 1 })].sort(), [
      'a',
      'b',
    ])
  })
})
