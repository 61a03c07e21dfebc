// Hosts whose bash is a liar: it knows the marker of the contact, as every host does, and says what it likes.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { RunReport } from '../../lib/execution/ports.ts'
import { aScriptedSshServer } from '../support/ssh-server/scripted-ssh-server.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'

/** `%` stands for the marker. */
async function aLiar(test: TestContext, says: string) {
  const { target } = await aScriptedSshServer(test, {
    onExec({ channel }) {
      let heard = ''
      let hasSpoken = false
      channel.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1')
        const marker = /kp_marker='(kpssh-[0-9a-f]{32})'/.exec(heard)?.[1]
        if (marker === undefined || hasSpoken) return
        hasSpoken = true
        channel.write(says.replaceAll('%', marker), () => {
          channel.exit(0)
          channel.end()
        })
      })
    },
  })
  return target
}

async function told(test: TestContext, says: string): Promise<RunReport> {
  const target = await aLiar(test, says)
  return (await someRuns().start(target, aRun('true'), { waitMs: 1000 })).report
}

const long = 'A'.repeat(200_000)

describe('a host that lies', { concurrency: 4 }, () => {
  const worthless: readonly [string, string][] = [
    ['an outcome with numbers that no run has', `\n% finished exited 0 ${'9'.repeat(400)} -\n\n% end\n`],
    ['a reason that our program does not know', `\n% unable HostKeyChanged ${long}\n\n% end\n`],
    ['sections that mean nothing, without end', '\n% nothing x\n'.repeat(100_000) + '\n% end\n'],
    ['NULs in the middle of an answer', '\n% begin b\n\n% running\0\n\n% end\n'],
    ['an end before anything', '\n% end\n\n% finished exited 0 1 -\n'],
  ]
  for (const [what, says] of worthless) {
    it(`is not believed when it tells ${what}`, async (test) => {
      assert.equal((await told(test, `\n% begin b\n${says}`)).kind, 'indeterminate')
    })
  }

  it('fills no message, however much it says', async (test) => {
    const report = await told(
      test,
      `\n% begin ${long}\n\n% refused ForeignInstallation \u001b[2J${long}\n\n% end\n`,
    )
    assert.ok(report.kind === 'refused' && report.message.length < 500)
    assert.doesNotMatch(report.message, /\p{Cc}/u)
  })

  it('fills no memory: of a tail of ten megabytes a quarter of one is kept', async (test) => {
    const says = `\n% begin b\n\n% finished exited 1 5 -\n\n% stderr\n${'x'.repeat(99).concat('\n').repeat(100_000)}\n% end\n`
    const report = await told(test, says)
    assert.ok(report.kind === 'finished' && report.outcome.stderrTail.length <= 300_000)
  })

  it('is left when it says more than any host has to say', async (test) => {
    const report = await told(
      test,
      `\n% begin b\n\n% output\n${'o'.repeat(1000).concat('\n').repeat(20_000)}`,
    )
    assert.match(report.kind === 'indeterminate' ? report.message : '', /contact ended \(output-limit\)/)
  })

  it('is no machine without CPUs, and adopts nobody, when what it says makes no sense', async (test) => {
    const target = await aLiar(test, '\n% begin b\n\n% facts\ncpu=-1\n__proto__=1\n\n% end\n')
    await assert.rejects(someRuns().probe(target, { agentUnits: [] }), { reason: 'ProbeUnreadable' })
    const owner = { installationID: 'installation-1', fence: 1 }
    assert.equal((await someRuns().adopt(target, owner)).report.kind, 'indeterminate')
  })
})
