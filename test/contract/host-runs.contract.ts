// What every way to carry out a run promises, whatever is between us and the host. Scripts keep to the few lines that the
// fake host understands.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { HostAdoption, HostRuns, RunReport, RunRequest, SshTarget } from '../../lib/execution/ports.ts'

export interface HostRunsSubject {
  readonly runs: HostRuns & HostAdoption
  readonly target: SshTarget
  nowMs(): number
  /** The machine goes down and comes up again. */
  reboot(): void
}

interface Observed extends HostRunsSubject {
  readonly beganAtMs: number
}

const longMs = 15_000

export function hostRunsContract(
  name: string,
  makeSubject: (test: TestContext) => Promise<HostRunsSubject>,
  options: { readonly skip?: string } = {},
): void {
  describe(`HostRuns ${name}`, { concurrency: 2, ...options }, () => {
    const promise = (title: string, check: (subject: Observed) => Promise<void>) => {
      it(title, async (test) => {
        const subject = await makeSubject(test)
        await check({ ...subject, beganAtMs: subject.nowMs() })
      })
    }

    promise('starts a run and reports how it ended', async (subject) => {
      const report = await start(subject, aRun(subject, 1, 'echo "out"\necho "err" >&2\nexit 7'))
      assert.equal(report.kind, 'finished')
      assert.deepEqual(
        { kind: report.outcome.kind, code: report.outcome.exitCode },
        { kind: 'exited', code: 7 },
      )
      assert.equal(report.outcome.stdoutTail, 'out\n')
      assert.equal(report.outcome.stderrTail, 'err\n')
    })

    promise('hides secrets in what it keeps', async (subject) => {
      const environment = { KPSSH_SECRET_CODE: 'long-secret-value' }
      const run = {
        ...aRun(subject, 1, 'echo "code $KPSSH_SECRET_CODE"'),
        environment,
        secrets: ['long-secret-value'],
      }
      const report = await start(subject, run)
      assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'code [REDACTED]\n')
    })

    promise(
      'SQS-26: leaves a run that outlasts the watch to the next one, which collects it',
      async (subject) => {
        const run = aRun(subject, 1, 'echo "begun"\nsleep 2\necho "ended"')
        assert.equal((await start(subject, run, 500)).kind, 'running')
        const report = await attach(subject, run)
        assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'begun\nended\n')
      },
    )

    promise('POOL-02: a second start of the same run collects the first one instead', async (subject) => {
      const run = aRun(subject, 1, 'echo "once"')
      await start(subject, run)
      const again = await start(subject, { ...run, script: 'echo "twice"' })
      assert.equal(again.kind === 'finished' && again.outcome.stdoutTail, 'once\n')
    })

    promise('SSH-31: refuses another run while one is going, and says which', async (subject) => {
      const first = aRun(subject, 1, 'sleep 2')
      await start(subject, first, 200)
      const report = await start(subject, aRun(subject, 2, 'echo "no"'))
      assert.equal(report.kind === 'refused' && report.reason, 'RunInProgress')
      assert.match(report.kind === 'refused' ? report.message : '', new RegExp(first.runId))
    })

    promise('DDB-04: refuses an owner whose fence is not the highest', async (subject) => {
      await start(subject, aRun(subject, 5, 'echo "new owner"'))
      const equal = { ...aRun(subject, 5, 'echo "no"'), runId: 'other' }
      for (const late of [aRun(subject, 4, 'echo "no"'), equal]) {
        const report = await start(subject, late)
        assert.equal(report.kind === 'refused' && report.reason, 'FenceStale')
      }
    })

    promise('keeps fences across a reboot', async (subject) => {
      await start(subject, aRun(subject, 5, 'echo "before"'))
      subject.reboot()
      const report = await start(subject, aRun(subject, 4, 'echo "no"'))
      assert.equal(report.kind === 'refused' && report.reason, 'FenceStale')
      assert.equal((await start(subject, aRun(subject, 6, 'echo "after"'))).kind, 'finished')
    })

    promise('refuses a fence that would lock everybody out for years', async (subject) => {
      const twentyYearsSeconds = 20 * 365 * 24 * 3600
      const report = await start(subject, aRun(subject, twentyYearsSeconds, 'echo "no"'))
      assert.equal(report.kind === 'refused' && report.reason, 'FenceAbsurd')
    })

    promise('refuses another installation', async (subject) => {
      await start(subject, aRun(subject, 1, 'echo "ours"'))
      const report = await start(subject, {
        ...aRun(subject, 2, 'echo "no"'),
        installationID: 'installation-2',
      })
      assert.equal(report.kind === 'refused' && report.reason, 'ForeignInstallation')
    })

    promise(
      'a run that names no installation makes nobody the owner, but has its place in the order',
      async (subject) => {
        assert.equal((await start(subject, byHand(aRun(subject, 2, 'echo "by hand"')))).kind, 'finished')
        const stale = await start(subject, aRun(subject, 1, 'echo "no"'))
        assert.equal(stale.kind === 'refused' && stale.reason, 'FenceStale')
        assert.equal((await start(subject, aRun(subject, 3, 'echo "ours"'))).kind, 'finished')
        const owned = await start(subject, byHand(aRun(subject, 4, 'echo "no"')))
        assert.equal(owned.kind === 'refused' && owned.reason, 'ForeignInstallation')
      },
    )

    promise('tells how far the order has come on a host that belongs to nobody', async (subject) => {
      const run = byHand(aRun(subject, 2, 'echo "by hand"'))
      await start(subject, run)
      const { report } = await subject.runs.probe(subject.target, { agentUnits: ['kubelet'] })
      assert.deepEqual(report.kind === 'probed' && report.installation, { fence: run.fence })
    })

    promise('belongs to whoever adopts it, and counts fences from there', async (subject) => {
      const ahead = aRun(subject, 1_000_000, 'echo "theirs"')
      await start(subject, { ...ahead, installationID: 'installation-2' })
      const { fence } = aRun(subject, 1, '')
      const owner = { installationID: 'installation-1', fence }
      const adopted = await subject.runs.adopt(subject.target, owner)
      assert.deepEqual(adopted.report, { kind: 'adopted', before: 'installation-2' })
      const stale = await start(subject, aRun(subject, 1, 'echo "no"'))
      assert.equal(stale.kind === 'refused' && stale.reason, 'FenceStale')
      assert.equal((await start(subject, aRun(subject, 2, 'echo "ours"'))).kind, 'finished')
      const theirs = { ...aRun(subject, 2_000_000, 'echo "no"'), installationID: 'installation-2' }
      const foreign = await start(subject, theirs)
      assert.equal(foreign.kind === 'refused' && foreign.reason, 'ForeignInstallation')
    })

    promise('is adopted by nobody while a run is going', async (subject) => {
      const run = aRun(subject, 1, 'sleep 2')
      await start(subject, run, 200)
      const { report } = await subject.runs.adopt(subject.target, {
        installationID: 'installation-2',
        fence: run.fence,
      })
      assert.equal(report.kind === 'refused' && report.reason, 'RunInProgress')
    })

    promise('ends a run that is over its time', async (subject) => {
      const run = { ...aRun(subject, 1, 'echo "begun"\nsleep 30\necho "no"'), timeoutMs: 1000 }
      const report = await start(subject, run)
      assert.equal(report.kind, 'finished')
      assert.equal(report.outcome.kind, 'timed-out')
      assert.equal(report.outcome.exitCode, undefined)
      assert.equal(report.outcome.stdoutTail, 'begun\n')
    })

    promise('keeps outcomes across a reboot', async (subject) => {
      const run = aRun(subject, 1, 'exit 3')
      await start(subject, run)
      subject.reboot()
      const report = await attach(subject, run)
      assert.equal(report.kind === 'finished' && report.outcome.exitCode, 3)
    })

    promise('knows nothing of a run that was never started', async (subject) => {
      assert.deepEqual(await attach(subject, aRun(subject, 1, '')), { kind: 'unknown' })
    })

    promise('probes without changing anything', async (subject) => {
      const probe = async () => (await subject.runs.probe(subject.target, { agentUnits: ['kubelet'] })).report
      const before = await probe()
      assert.ok(before.kind === 'probed' && before.cpu > 0 && before.memoryBytes > 0)
      assert.equal(before.installation, undefined)
      const run = aRun(subject, 1, 'sleep 2')
      await start(subject, run, 200)
      const during = await probe()
      assert.deepEqual(during.kind === 'probed' && during.installation, {
        id: 'installation-1',
        fence: run.fence,
        runningRunId: run.runId,
      })
    })
  })
}

/** `order` seconds later than the beginning of the test: fences start from the time. */
function aRun(subject: Observed, order: number, script: string): RunRequest {
  const fence = Math.floor(subject.beganAtMs / 1000) + order
  return {
    runId: `run-${String(order)}`,
    phase: 'join',
    fence,
    installationID: 'installation-1',
    profile: 'demo@1',
    script,
    environment: {},
    secrets: [],
    timeoutMs: longMs,
    agentUnits: ['kubelet'],
  }
}

function byHand(run: RunRequest): RunRequest {
  const nobodys = { ...run }
  delete nobodys.installationID
  return nobodys
}

async function start(
  { runs, target }: HostRunsSubject,
  run: RunRequest,
  waitMs = longMs,
): Promise<RunReport> {
  return (await runs.start(target, run, { waitMs })).report
}

async function attach({ runs, target }: HostRunsSubject, run: RunRequest): Promise<RunReport> {
  return (await runs.attach(target, run, { waitMs: longMs })).report
}
