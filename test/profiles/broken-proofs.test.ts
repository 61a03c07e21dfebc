// Every shipped profile with one fault for each proof: the proof finds it, by its name.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { after, describe, it, type TestContext } from 'node:test'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import { readProofFolder } from '../../lib/cli/read-proof-folder.ts'
import type { ScriptPhase } from '../../lib/profile/script-phase.ts'
import type { SteppedMachines } from '../../lib/proof/ports.ts'
import type { ProofReason } from '../../lib/proof/proof-reasons.ts'
import { proofTitles, type ProofNumber, type ProofStep } from '../../lib/proof/proof-report.ts'
import { makeProofSubject, runProofs } from '../../lib/proof/run-proofs.ts'
import { makeSeededRandom } from '../../lib/proof/seeded-random.ts'
import { needsSandboxes, someSandboxes } from '../support/sandbox/sandboxes.ts'

const root = fileURLToPath(new URL('../../profiles', import.meta.url))
const shipped = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

interface Fault {
  readonly proof: ProofNumber
  readonly reason: ProofReason
  readonly what: string
  readonly phase: ScriptPhase
  readonly breaks: (script: string, agent: string) => string
}

function atTheBeginning(...lines: readonly string[]): Fault['breaks'] {
  return (script) => script.replace(/^set -euo pipefail\n/m, (found) => `${found}${lines.join('\n')}\n`)
}

const faults: readonly Fault[] = [
  {
    proof: 1,
    reason: 'UninstallLeavesBehind',
    what: 'a file that uninstall does not know of',
    phase: 'install',
    breaks: atTheBeginning('echo vm.swappiness=0 >/etc/sysctl.d/99-forgotten.conf'),
  },
  {
    proof: 2,
    reason: 'NotIdempotent',
    what: 'a mark of completion that is set at the beginning',
    phase: 'install',
    breaks: atTheBeginning('[[ ! -e /var/lib/installed ]] || exit 0', ': >/var/lib/installed'),
  },
  {
    proof: 3,
    reason: 'ComesBackAfterReboot',
    what: 'another unit that starts the agent at boot',
    phase: 'install',
    breaks: (script, agent) => `${script}
printf '%s\\n' '[Unit]' Wants=${agent}.service '[Service]' ExecStart=/bin/true '[Install]' WantedBy=multi-user.target \\
  >/etc/systemd/system/helper.service
systemctl enable helper
`,
  },
  {
    proof: 4,
    reason: 'LeaveFailsOnFreshHost',
    what: 'a program that leave takes for granted',
    phase: 'leave',
    breaks: (script, agent) => atTheBeginning(`${agent.replace('-agent', '')} --version`)(script, agent),
  },
  {
    proof: 5,
    reason: 'SecretInArguments',
    what: 'a token on a command line',
    phase: 'join',
    breaks: atTheBeginning(
      'curl -s -H "Authorization: Bearer $KPSSH_BOOTSTRAP_TOKEN" https://192.0.2.1:6443/ || true',
    ),
  },
]

/** A copy of a shipped profile with the fault in it. */
async function brokenCopy(test: TestContext, name: string, { phase, breaks }: Fault): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kpssh-broken-'))
  test.after(() => rm(folder, { recursive: true }))
  await cp(join(root, name), folder, { recursive: true })
  const file = join(folder, `${phase}.sh`)
  const script = await readFile(file, 'utf8')
  const broken = breaks(script, name === 'k3s' ? 'k3s-agent' : 'kubelet')
  assert.notEqual(broken, script)
  await writeFile(file, broken)
  return folder
}

class Found extends Error {
  readonly reasons: readonly ProofReason[]
  constructor({ findings }: ProofStep) {
    super('found')
    this.reasons = findings.map(({ reason }) => reason)
  }
}

/** Of the first step that finds anything; the rest is not waited for. */
async function firstReasons(
  machines: SteppedMachines,
  folder: string,
  proof: ProofNumber,
): Promise<readonly ProofReason[]> {
  const { profile, settings } = await readProofFolder(folder)
  const watch = {
    began: () => undefined,
    ended(step: ProofStep) {
      if (step.findings.length > 0) throw new Found(step)
    },
  }
  try {
    await runProofs(
      { clock: makeSystemClock(), random: makeSeededRandom(1), machines, watch },
      {
        subject: makeProofSubject(profile, settings),
        family: 'debian',
        proofs: [proof],
        effort: { interruptions: 2, machines: 2 },
      },
    )
  } catch (error) {
    if (error instanceof Found) return error.reasons
    throw error
  }
  return []
}

describe('a broken copy of a shipped profile', needsSandboxes, async () => {
  const machines = needsSandboxes.skip === undefined ? await someSandboxes() : undefined
  after(() => machines?.close())
  for (const name of shipped) {
    for (const fault of faults) {
      const { proof, reason, what } = fault
      it(`${name} with ${what} is caught by ${reason} in proof ${proof}, ${proofTitles[proof]}`, async (test) => {
        assert.ok(machines)
        const reasons = await firstReasons(machines, await brokenCopy(test, name, fault), proof)
        assert.ok(reasons.includes(reason), `found ${reasons.join(', ') || 'nothing'}`)
      })
    }
  }
})
