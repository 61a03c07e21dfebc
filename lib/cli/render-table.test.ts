import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ago } from './ago.ts'
import { renderTable } from './render-table.ts'

const columns = [
  { title: 'NAME', text: ([name]: readonly string[]) => name ?? '' },
  { title: 'STATE', text: ([, state]: readonly string[]) => state ?? '' },
  { title: 'CLAIM', text: ([, , claim]: readonly string[]) => claim ?? '' },
]
const rows = [
  ['host-a', 'InUse', 'pool-1'],
  ['b', 'Unhealthy', ''],
]

describe('renderTable', () => {
  it('lines up columns without trailing spaces', () => {
    assert.equal(
      renderTable(columns, rows, undefined),
      'NAME    STATE      CLAIM\nhost-a  InUse      pool-1\nb       Unhealthy\n',
    )
  })
  it('shows what a terminal would obey', () => {
    assert.equal(
      renderTable(columns, [['\u001b[2J', 'a\nb', '']], undefined).split('\n')[1],
      '\\x1b[2J  a | b',
    )
  })
  it('leaves out columns that do not fit, but never the first', () => {
    assert.equal(renderTable(columns, rows, 24), 'NAME    STATE\nhost-a  InUse\nb       Unhealthy\n')
    assert.equal(renderTable(columns, rows, 3), 'NAME\nhost-a\nb\n')
  })
})

describe('ago', () => {
  it('takes the largest unit', () => {
    const ages = [0, 999, 1_000, 59_999, 60_000, 3_600_000, 90_000_000, -5_000]
    assert.deepEqual(
      ages.map((age) => ago(1_000_000_000 - age, 1_000_000_000)),
      ['now', 'now', '1s', '59s', '1m', '1h', '1d', 'now'],
    )
  })
})
