import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { splitList } from './split-list.ts'

async function split(text: string, chunkBytes: number, maxItemBytes = 1_000_000) {
  const bytes = Buffer.from(text)
  const chunks = []
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes))
  const items: unknown[] = []
  const splitting = splitList(Readable.from(chunks), maxItemBytes)
  for (;;) {
    const next = await splitting.next()
    if (next.done === true) return { items, frame: JSON.parse(next.value) as Record<string, unknown> }
    items.push(JSON.parse(next.value))
  }
}

describe('splitList', () => {
  it('tells items and frame apart, wherever the frame has its metadata', async () => {
    const list = { kind: 'PodList', items: [{ a: 1 }, { b: [{}] }], metadata: { resourceVersion: '5' } }
    assert.deepEqual(await split(JSON.stringify(list), 7), {
      items: [{ a: 1 }, { b: [{}] }],
      frame: { kind: 'PodList', items: [], metadata: { resourceVersion: '5' } },
    })
  })

  it('reads a list without items, with null for them, and with spaces', async () => {
    assert.deepEqual(await split('{"items":[]}', 3), { items: [], frame: { items: [] } })
    assert.deepEqual(await split('{"items":null}', 3), { items: [], frame: { items: null } })
    assert.deepEqual(await split('{ "items" : [ {"a" : "b"} ,\n {"c":"d"} ] }\n', 5), {
      items: [{ a: 'b' }, { c: 'd' }],
      frame: { items: [] },
    })
  })

  it('takes only the items of the list itself for items', async () => {
    const list = {
      metadata: { other: [1], items: [{ no: 1 }] },
      more: [{ items: [{}] }],
      items: [{ items: [{ deep: 1 }] }],
    }
    const { items, frame } = await split(JSON.stringify(list), 4)
    assert.deepEqual(items, [{ items: [{ deep: 1 }] }])
    assert.deepEqual(frame, { ...list, items: [] })
  })

  it('gives up on an item that is too long', async () => {
    await assert.rejects(split(JSON.stringify({ items: [{ a: 'x'.repeat(2_000) }] }), 100, 1_000), {
      reason: 'ItemTooLong',
    })
  })

  it('agrees with JSON.parse on any list, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 40 }),
        async (items, frame, chunkBytes) => {
          const list = { ...frame, items }
          const text = JSON.stringify(list)
          assert.deepEqual(await split(text, chunkBytes), {
            items: (JSON.parse(text) as typeof list).items,
            frame: { ...(JSON.parse(text) as typeof list), items: [] },
          })
        },
      ),
      { numRuns: 300 },
    )
  })
})
