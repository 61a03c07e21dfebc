// A small profile on machines in memory, and what its proofs find.
import assert from 'node:assert/strict'
import type { ProofNumber, ProofStep } from '../../../lib/proof/proof-report.ts'
import { proofNumbers } from '../../../lib/proof/proof-report.ts'
import { parseProofSettings } from '../../../lib/proof/proof-settings.ts'
import { makeProofSubject, runProofs } from '../../../lib/proof/run-proofs.ts'
import { fakeClock } from '../fakes/clock.ts'
import { fakeProofWatch } from '../fakes/proof-watch.ts'
import { seededRandom } from '../fakes/random.ts'
import { fakeMachines } from '../fakes/stepped-machines.ts'

/** A profile that keeps every rule, in the language of the fake machines; tests change single lines of it. */
const scripts = {
  install: [
    'write /etc/unfinished',
    'write /usr/bin/kubelet 755 binary',
    'write /usr/lib/systemd/system/kubelet.service 644 ExecStart=/usr/bin/kubelet',
    'know kubelet.service',
    'know containerd.service',
    'disable kubelet.service',
    'disable containerd.service',
    'stop kubelet.service',
    'remove /etc/unfinished',
  ],
  join: [
    'stop kubelet.service',
    'if /etc/systemd/system/kubelet.service unmask kubelet.service',
    'write /etc/bootstrap 600 token $KPSSH_BOOTSTRAP_TOKEN',
    'write /run/config',
    'enable containerd.service',
    'start containerd.service',
    'enable kubelet.service',
    'start kubelet.service',
    'write /etc/kubelet.conf 600 certificate',
    'contain 1',
    'umount /var/lib/kubelet/pods/1',
    'mount /var/lib/kubelet/pods/1',
    'device cni0',
    'run base64 -d',
    'remove /etc/bootstrap',
    'say joined',
  ],
  leave: [
    'disable kubelet.service',
    'stop kubelet.service',
    'disable containerd.service',
    'stop containerd.service',
    'contain 0',
    'umount /var/lib/kubelet/pods/1',
    'undevice cni0',
    'remove /etc/bootstrap',
    'remove /etc/kubelet.conf',
    'remove /run/config',
  ],
  uninstall: [
    'remove /usr/bin/kubelet',
    'remove /etc/unfinished',
    'remove /usr/lib/systemd/system/kubelet.service',
    'forget kubelet.service',
    'forget containerd.service',
  ],
} as const

export type Phase = keyof typeof scripts
export interface ScriptChange {
  readonly phase: Phase
  /** A line that is replaced; without it `to` comes last. */
  readonly from?: string
  readonly to: readonly string[]
}

/** A script of the small profile. */
export function textOf(phase: Phase, change: ScriptChange | undefined): string {
  const lines: readonly string[] = scripts[phase]
  if (change?.phase !== phase) return lines.join('\n')
  if (change.from === undefined) return [...lines, ...change.to].join('\n')
  assert.ok(lines.includes(change.from), change.from)
  return lines.flatMap((line) => (line === change.from ? change.to : [line])).join('\n')
}

interface Options {
  readonly proofs?: readonly ProofNumber[]
  readonly golden?: string
  readonly settings?: object
  readonly interruptions?: number | 'all'
}

export async function prove(
  change?: ScriptChange,
  { proofs = proofNumbers, golden, settings, interruptions = 'all' }: Options = {},
) {
  const machines = fakeMachines()
  const watch = fakeProofWatch()
  const profile = {
    metadata: { name: 'small' },
    spec: {
      scripts: {
        install: textOf('install', change),
        join: textOf('join', change),
        leave: textOf('leave', change),
        uninstall: textOf('uninstall', change),
      },
    },
  }
  const subject = makeProofSubject(profile, parseProofSettings('proof.yaml', settings), golden)
  const sections = await runProofs(
    { clock: fakeClock(0), random: seededRandom(1), machines, watch },
    { subject, family: 'debian', proofs, effort: { interruptions, machines: 2 } },
  )
  machines.assertIdle()
  return { steps: watch.steps, sections, machines, reasons: [...new Set(watch.reasons)] }
}

/** Reasons, each once. */
export async function findingsOf(
  proof: ProofNumber,
  change: ScriptChange,
  settings?: object,
): Promise<readonly string[]> {
  const { reasons } = await prove(change, { proofs: [proof], ...(settings && { settings }) })
  return reasons
}

/** The one whose title begins so. */
export function stepWith(steps: readonly ProofStep[], title: string): ProofStep {
  return steps.find((step) => step.title.startsWith(title)) ?? assert.fail(title)
}
