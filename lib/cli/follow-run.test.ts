import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { HostError } from '../errors/host-error.ts'
import { HostIdentityError } from '../errors/host-identity-error.ts'
import type { RunReport, Watch } from '../execution/ports.ts'
import { followRun } from './follow-run.ts'

const finished: RunReport = {
  kind: 'finished',
  bootID: 'b',
  outcome: { kind: 'exited', exitCode: 0, stdoutTail: '', stderrTail: '', durationMs: 5 },
}
const lost: RunReport = { kind: 'indeterminate', message: 'Cannot follow' }

function running(offset: number): RunReport {
  return { kind: 'running', offset, bootID: 'b' }
}

type Step = RunReport | Error | ((watch: Watch) => RunReport)

/** Follows through these reports, and says which contacts were made with which offset. */
async function follow(steps: readonly Step[], { deadlineMs = 60_000, areHostKeysShown = false } = {}) {
  const clock = fakeClock(0)
  const console = fakeConsole()
  const contacts: string[] = []
  const left = [...steps]
  const contact = (name: string) => async (watch: Watch) => {
    contacts.push(`${name} ${watch.offset ?? 0}`)
    const step = left.shift()
    if (step instanceof Error) throw step
    const report = typeof step === 'function' ? step(watch) : step
    assert.ok(report !== undefined, 'looked more often than expected')
    return { report, hostKeys: [{ type: 'ssh-ed25519', fingerprint: 'SHA256:x' }] }
  }
  const followed = await followRun(
    { clock, console },
    {
      ...{ label: 'h1', deadlineAtMs: deadlineMs, areHostKeysShown },
      ...{ begin: contact('begin'), attach: contact('attach') },
    },
  ).catch((error: unknown) => error)
  return { followed, contacts, console, clock }
}

describe('followRun', () => {
  it('goes on from the output it has seen', async () => {
    const { followed, contacts, console } = await follow([running(10), running(25), finished])
    assert.deepEqual(contacts, ['begin 0', 'attach 10', 'attach 25'])
    assert.deepEqual(followed, { kind: 'ended', outcome: finished.kind === 'finished' && finished.outcome })
    assert.equal(console.stderr, 'host key ssh-ed25519 SHA256:x\n')
  })
  it('shows no host key that was shown before', async () => {
    const { console } = await follow([finished], { areHostKeysShown: true })
    assert.equal(console.stderr, '')
  })
  it('shows each stream where it belongs', async () => {
    const { console } = await follow([
      (watch) => {
        watch.onOutput?.('stdout', Buffer.from('out\n'))
        watch.onOutput?.('stderr', Buffer.from('err\n'))
        return finished
      },
    ])
    assert.equal(console.stdout, 'out\n')
    assert.match(console.stderr, /^err\n/)
  })
  it('begins again where it cannot know whether the run was started: the same run is never started twice', async () => {
    const { contacts, clock } = await follow([lost, running(3), lost, finished])
    assert.deepEqual(contacts, ['begin 0', 'begin 0', 'attach 3', 'attach 3'])
    assert.deepEqual(clock.waits, [2_000, 2_000, 2_000])
  })
  it('bears a host that is out of reach for a while, but not at the first contact', async () => {
    const away = new HostError('Cannot connect')
    assert.equal((await follow([away])).followed, away)
    const { contacts } = await follow([running(1), away, away, finished])
    assert.deepEqual(contacts, ['begin 0', 'attach 1', 'attach 1', 'attach 1'])
  })
  it('trusts no other host in the middle of a run', async () => {
    const other = new HostIdentityError('Cannot trust')
    assert.equal((await follow([running(1), other])).followed, other)
  })
  it('gives up when the deadline of the run has long passed', async () => {
    const { followed } = await follow([lost, lost, lost, lost], { deadlineMs: 5_000 })
    assert.ok(followed instanceof HostError)
    assert.equal(followed.reason, 'RunOverdue')
  })
  it('says why the host did not start the run', async () => {
    const refused: RunReport = {
      kind: 'refused',
      reason: 'RunInProgress',
      message: 'Cannot start the run: busy',
    }
    const { followed } = await follow([refused])
    assert.ok(followed instanceof HostError)
    assert.equal(followed.message, 'Cannot start the run: busy')
    assert.equal(followed.reason, 'RunInProgress')
    const unknown = (await follow([{ kind: 'unknown' }])).followed
    assert.ok(unknown instanceof HostError)
    assert.equal(unknown.reason, 'RunUnknown')
  })
  it('detaches when the person has seen enough, and no sooner', async () => {
    const clock = fakeClock(0)
    const console = fakeConsole()
    const contact = async (watch: Watch) => {
      console.interrupt()
      assert.equal(watch.signal?.aborted, true)
      return { report: lost, hostKeys: [] }
    }
    const following = { label: 'h1', deadlineAtMs: 60_000, begin: contact, attach: contact }
    assert.deepEqual(await followRun({ clock, console }, following), { kind: 'detached' })
  })
  it('stops where nothing was begun yet', async () => {
    const clock = fakeClock(0)
    const console = fakeConsole()
    const contact = async () => {
      console.interrupt()
      throw new HostError('Cannot connect: it was cancelled', { reason: 'Cancelled' })
    }
    const following = { label: 'h1', deadlineAtMs: 60_000, begin: contact, attach: contact }
    assert.deepEqual(await followRun({ clock, console }, following), { kind: 'stopped' })
  })
  it('asks a host that says at once that the run goes on no more than every other second', async () => {
    const { contacts, followed } = await follow(
      Array.from({ length: 40 }, () => running(1)),
      { deadlineMs: 60_000 },
    )
    assert.ok(followed instanceof HostError)
    assert.equal(contacts.length, 31)
  })
  it('tells the outcome rather than detaching if the run ended at that moment', async () => {
    const clock = fakeClock(0)
    const console = fakeConsole()
    const contact = async () => {
      console.interrupt()
      return { report: finished, hostKeys: [] }
    }
    const following = { label: 'h1', deadlineAtMs: 60_000, begin: contact, attach: contact }
    assert.equal((await followRun({ clock, console }, following)).kind, 'ended')
  })
})
