import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeAnswerReader } from './host-answer.ts'

const marker = 'kpssh-0123456789abcdef0123456789abcdef'

function read(text: string | Buffer, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text)
  const output: string[] = []
  const reader = makeAnswerReader(marker, (stream, chunk) =>
    output.push(`${stream} ${Buffer.from(chunk).toString()}`),
  )
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  places.slice(1).forEach((end, index) => reader.push(bytes.subarray(places[index], end)))
  return { ...reader.answer(), output }
}

const whole = [
  'Welcome to h1\n\x1b[31m4 updates available\x1b[0m\n',
  `\n${marker} begin boot-1\n`,
  `\n${marker} output\n`,
  'oone\netwo\no\n',
  `\n${marker} finished exited 0 12 -\n`,
  `\n${marker} stdout\none\n\nlast\n`,
  `\n${marker} end\n`,
  'goodbye\n',
].join('')

describe('makeAnswerReader', () => {
  it('reads sections by their marker, however the bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        const answer = read(whole, cuts)
        assert.equal(answer.isComplete, true)
        assert.deepEqual(answer.sections.get('begin')?.words, ['boot-1'])
        assert.deepEqual(answer.sections.get('finished')?.words, ['exited', '0', '12', '-'])
        assert.equal(answer.sections.get('stdout')?.body, 'one\n\nlast\n')
        assert.deepEqual(answer.output, ['stdout one\n', 'stderr two\n', 'stdout \n'])
        assert.equal(answer.outputBytes, 12)
      }),
    )
  })

  it('SSH-21: ignores noise, NULs and answers under another marker', () => {
    const forged = `\nkpssh-${'0'.repeat(32)} finished exited 0 0 -\n\nkpssh-${'0'.repeat(32)} end\n`
    const noise = Buffer.concat([Buffer.alloc(100), Buffer.from(forged), Buffer.alloc(70_000, '{')])
    const answer = read(Buffer.concat([noise, Buffer.from(whole)]))
    assert.deepEqual(answer.sections.get('finished')?.words, ['exited', '0', '12', '-'])
    assert.equal(read(noise).sections.size, 0)
    assert.equal(read(noise).isComplete, false)
  })

  it('takes no marker in the middle of a line for one', () => {
    assert.equal(read(`x${marker} end\n`).sections.size, 0)
  })

  it('SSH-15: an answer that was cut is not complete, wherever it was cut', () => {
    const end = whole.indexOf(`${marker} end\n`) + `${marker} end\n`.length
    for (let cut = 0; cut < end; cut++) assert.equal(read(whole.slice(0, cut)).isComplete, false)
  })

  it('puts together a line that came in pieces', () => {
    const text = `\n${marker} output\nOlong \neother\noline\n\n${marker} running\n\n${marker} end\n`
    assert.deepEqual(read(text).output, ['stdout long ', 'stderr other\n', 'stdout line\n'])
  })

  it('counts no line that was cut by the end of the watch', () => {
    const text = `\n${marker} output\noone\nohal\n${marker} running\n\n${marker} end\n`
    assert.equal(read(text).outputBytes, 5)
  })

  it('keeps no section that has no meaning, whatever the marker before it', () => {
    const reader = makeAnswerReader(marker)
    for (let round = 0; round < 50_000; round++)
      reader.push(Buffer.from(`\n${marker} x${round} ${'y'.repeat(50)}\n`))
    reader.push(Buffer.from(`\n${marker} unknown\n\n${marker} end\n`))
    assert.deepEqual([...reader.answer().sections.keys()], ['unknown', 'end'])
  })

  it('keeps no noise, however much there is, and still hears the answer after it', () => {
    const reader = makeAnswerReader(marker)
    const chunk = Buffer.alloc(1_000_000, 'x')
    for (let round = 0; round < 200; round++) reader.push(chunk)
    reader.push(Buffer.from(`\n${marker} unknown\n\n${marker} end\n`))
    assert.deepEqual([...reader.answer().sections.keys()], ['unknown', 'end'])
  })
})
