import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { HostAnswer } from './host-answer.ts'
import { printable } from './printable.ts'
import { toRunReport, unableReasons } from './run-answer.ts'

function said(sections: Record<string, string>, more: Partial<HostAnswer> = {}): HostAnswer {
  const entries = Object.entries({ begin: 'boot-1', ...sections }).map(([name, text]) => {
    const isBody = name === 'stdout' || name === 'stderr'
    return [name, { words: isBody ? [] : text.split(' '), body: isBody ? text : '' }] as const
  })
  return { sections: new Map(entries), isComplete: true, outputBytes: 0, ...more }
}

describe('toRunReport', () => {
  it('tells an outcome with its tails', () => {
    const report = toRunReport(said({ finished: 'exited 7 1200 3', stdout: 'out\n', stderr: 'err\n' }), 0)
    assert.deepEqual(report, {
      kind: 'finished',
      bootID: 'boot-1',
      outcome: {
        kind: 'exited',
        exitCode: 7,
        failedLine: 3,
        stdoutTail: 'out\n',
        stderrTail: 'err\n',
        durationMs: 1200,
      },
    })
  })

  for (const kind of ['timed-out', 'killed', 'lost'] as const) {
    it(`SSH-15: gives ${kind} no exit code`, () => {
      assert.deepEqual(toRunReport(said({ finished: `${kind} - 5 -` }), 0), {
        kind: 'finished',
        bootID: 'boot-1',
        outcome: { kind, stdoutTail: '', stderrTail: '', durationMs: 5 },
      })
    })
  }

  it('adds what was seen now to what was seen before', () => {
    assert.deepEqual(toRunReport(said({ running: '' }, { outputBytes: 30 }), 12), {
      kind: 'running',
      offset: 42,
      bootID: 'boot-1',
    })
  })

  it('SSH-15: makes nothing of an answer that is incomplete or makes no sense', () => {
    assert.equal(toRunReport(said({ finished: 'exited 0 5 -' }, { isComplete: false }), 0), undefined)
    for (const words of ['exited - 5 -', 'exited 0', 'exited x 5 -', 'lost 0 5 -', 'fine 0 5 -', '']) {
      assert.equal(toRunReport(said({ finished: words }), 0), undefined, words)
    }
    assert.equal(toRunReport(said({ refused: 'BadMood' }), 0), undefined)
    assert.equal(toRunReport(said({}), 0), undefined)
  })

  it('says in a refusal what the host knows', () => {
    const report = toRunReport(said({ refused: 'RunInProgress run-7' }), 0)
    assert.deepEqual(report, {
      kind: 'refused',
      reason: 'RunInProgress',
      message: 'Cannot start the run: run "run-7" is in progress, wait for it or attach to it',
    })
  })

  it('passes on what is missing on the host', () => {
    const report = toRunReport(said({ unable: 'MissingPrerequisite flock setsid' }), 0)
    assert.equal(report?.kind === 'unable' && report.reason, 'MissingPrerequisite')
    assert.match(report?.kind === 'unable' ? report.message : '', /flock setsid/)
  })

  it('knows every reason that the program on the host can give, and no other', () => {
    const folder = new URL('host-program/', import.meta.url)
    const program = readdirSync(folder)
      .filter((name) => name.endsWith('.sh'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('')
    const given = [...program.matchAll(/\bunable ([A-Z][a-z]+[A-Za-z]*)/g)].map(([, reason]) => reason)
    assert.deepEqual(new Set(given), new Set(unableReasons))
  })
})

describe('toRunReport of a host that lies', () => {
  it('believes no reason that our program would not give', () => {
    for (const reason of ['HostKeyChanged', 'x', '', '\u001b[2J', 'A'.repeat(100_000)])
      assert.equal(toRunReport(said({ unable: `${reason} why` }), 0), undefined, reason.slice(0, 20))
  })

  it('believes no number that no run can have', () => {
    const absurd = ['exited 0 1e3 -', 'exited 0 NaN -', 'exited -1 5 -', 'exited 0 -5 -', 'exited 1000 5 -']
    const huge = [
      `exited 0 ${'9'.repeat(400)} -`,
      `exited 1 5 ${'9'.repeat(20)}`,
      `exited ${'0'.repeat(400)} 5 -`,
    ]
    for (const words of [...absurd, ...huge])
      assert.equal(toRunReport(said({ finished: words }), 0), undefined, words.slice(0, 20))
  })

  it('keeps what it says short and fit for a terminal', () => {
    const long = '\u001b]0;owned\u0007'.repeat(10_000)
    for (const sections of [
      { refused: `ForeignInstallation ${long}` },
      { refused: `RunInProgress ${long}` },
      { refused: `FenceStale ${'9'.repeat(100_000)}` },
      { unable: `MissingPrerequisite ${long} ${long}` },
    ]) {
      const report = toRunReport(said(sections), 0)
      const message = report !== undefined && 'message' in report ? report.message : assert.fail()
      assert.ok(message.length < 500)
      assert.equal(printable(message), message)
    }
  })

  it('takes no boot id that could be anything but one', () => {
    for (const begin of ['../../etc', '\u001b[2J', 'x'.repeat(100_000), '']) {
      const report = toRunReport(said({ begin, running: '' }), 0)
      assert.equal(report?.kind === 'running' && report.bootID, 'unknown')
    }
  })
})
