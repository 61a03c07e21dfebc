// What ships is proven: all proofs, on every kind of machine that the profile is for. Of the interruptions of proof 2 there is
// a sample, and a second kind of machine sees the first proof alone; with KPSSH_EVERY_STEP=1 everything is tried everywhere,
// which takes many minutes. KPSSH_SEED takes another sample.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { before, describe, it } from 'node:test'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import { readProofFolder } from '../../lib/cli/read-proof-folder.ts'
import { makeProofRenderer } from '../../lib/cli/render-proof.ts'
import { proofNumbers, proofTitles, type ProofNumber, type ProofStep } from '../../lib/proof/proof-report.ts'
import type { ProofEffort } from '../../lib/proof/proof-scope.ts'
import { makeProofSubject, runProofs } from '../../lib/proof/run-proofs.ts'
import { makeSeededRandom } from '../../lib/proof/seeded-random.ts'
import { fakeProofWatch } from '../support/fakes/proof-watch.ts'
import { needsSandboxes, someSandboxes, type Family } from '../support/sandbox/sandboxes.ts'

const root = fileURLToPath(new URL('../../profiles', import.meta.url))
const shipped = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const isSweep = process.env['KPSSH_EVERY_STEP'] === '1'
const seed = Number(process.env['KPSSH_SEED'] ?? 1)
const effort: ProofEffort = { interruptions: isSweep ? 'all' : 2, machines: availableParallelism() }

async function prove(
  folder: string,
  family: Family,
  proofs: readonly ProofNumber[],
): Promise<readonly ProofStep[]> {
  const { profile, settings, golden } = await readProofFolder(folder)
  const machines = await someSandboxes(family)
  const watch = fakeProofWatch()
  try {
    await runProofs(
      { clock: makeSystemClock(), random: makeSeededRandom(seed), machines, watch },
      { subject: makeProofSubject(profile, settings, golden), family, proofs, effort },
    )
  } finally {
    await machines.close()
  }
  return watch.steps
}

function assertHolds(steps: readonly ProofStep[]): void {
  assert.ok(steps.length > 0, 'nothing was done')
  const renderer = makeProofRenderer()
  const failed = steps.filter(({ findings }) => findings.length > 0)
  assert.deepEqual(failed.map((step) => renderer.step(step)).join(''), '', `with KPSSH_SEED=${seed}`)
}

for (const name of shipped) {
  const folder = `${root}/${name}`
  const { settings, golden } = await readProofFolder(folder)

  it(`${name} has a proof.txt`, () => {
    assert.notEqual(golden, undefined)
  })

  for (const [index, family] of settings.family.entries()) {
    const proofs = index === 0 || isSweep ? proofNumbers : proofNumbers.slice(0, 1)
    describe(`${name} on ${family}`, needsSandboxes, () => {
      let steps: readonly ProofStep[] = []
      before(async () => {
        steps = await prove(folder, family, proofs)
      })
      for (const number of proofs) {
        it(`holds in proof ${number}, ${proofTitles[number]}`, () => {
          assertHolds(steps.filter(({ proof }) => proof === number))
        })
      }
    })
  }
}
