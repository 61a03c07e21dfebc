// Every shipped profile with one fault for each rule: lint names the fault, and finds nothing without it.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { readProfileFolder } from '../../lib/cli/read-profile-folder.ts'
import { allowanceRules } from '../../lib/profile/lint/allowances.ts'
import { rules } from '../../lib/profile/lint/rules.ts'
import { lintProfile } from '../../lib/profile/lint-profile.ts'
import type { Profile } from '../../lib/profile/profile.ts'
import type { ScriptPhase } from '../../lib/profile/script-phase.ts'

const root = fileURLToPath(new URL('../../profiles', import.meta.url))

interface Fault {
  readonly phase: ScriptPhase
  /** The script with the fault in it. */
  readonly breaks: (script: string, profile: Profile) => string
}

/** Lines that come right after the script's own options. */
function inserting(phase: ScriptPhase, ...lines: readonly string[]): Fault {
  const options = /^set -euo pipefail\n/m
  return { phase, breaks: (script) => script.replace(options, (found) => `${found}${lines.join('\n')}\n`) }
}

function replacing(phase: ScriptPhase, from: RegExp, to: string): Fault {
  return { phase, breaks: (script) => script.replaceAll(from, to) }
}

const faults: Readonly<Record<string, Fault>> = {
  NoFailFast: replacing('join', /^set -euo pipefail\n/gm, ''),
  LeaveKeepsUnit: {
    phase: 'leave',
    breaks: (script) =>
      script.replaceAll(/\bdisable --now\b/g, 'stop').replaceAll(/^ *rm -f \S+\.wants\/.*\n/gm, ''),
  },
  DisablesLate: {
    phase: 'leave',
    breaks: (script, profile) => {
      const stop = `systemctl stop ${profile.spec.agentUnits?.[0] ?? 'kubelet'}`
      return inserting('leave', stop, 'sync').breaks(script, profile)
    },
  },
  JoinDoesNotEnable: replacing('join', /\benable\b/g, 'start'),
  LeaveNeedsContext: inserting('leave', 'echo {{ .Vars.clusterName }}'),
  LeaveNeedsEnvironment: inserting('leave', 'echo "$KPSSH_VAR_clusterName"'),
  LeaveUsesEnvironment: inserting('leave', 'echo "${KPSSH_VAR_clusterName:-}"'),
  LeaveRemovesInstalled: inserting('leave', 'rm -f /opt/cni/bin/bridge'),
  DropsRegistration: inserting('leave', 'rm -rf /var/lib/amazon/ssm'),
  TracesSecret: inserting('join', 'set -x', 'echo "${KPSSH_SECRET_CODE:-}"'),
  TracesToken: inserting('join', 'set -x', 'echo "$KPSSH_BOOTSTRAP_TOKEN"'),
  SecretInArguments: inserting('join', 'curl -u "node:$KPSSH_BOOTSTRAP_TOKEN" https://192.0.2.1'),
  RemovesMounted: inserting('uninstall', 'rm -rf /var/lib/kubelet'),
  RemovesVariable: inserting('leave', 'rm -rf "$SOMEWHERE"/*'),
  Reboots: inserting('install', 'reboot'),
  RestartsSSH: inserting('install', 'systemctl restart ssh'),
  StopsTunnel: inserting('leave', 'ip link delete wg0'),
  CanPrompt: inserting('install', 'apt-get install socat'),
  Appends: inserting('install', 'echo 192.0.2.1 api >>/etc/hosts'),
  UnsetVar: {
    phase: 'install',
    breaks: (script) =>
      `${script.replaceAll(/\$\{(KPSSH_VAR_\w+):?-[^}]*\}/g, '$$$1')}echo "$KPSSH_VAR_broken"\n`,
  },
  UndeclaredVar: inserting('join', 'echo "${KPSSH_VAR_k8sminor:-}"'),
  HasTemplate: inserting('join', 'echo {{ .NodeName }}'),
  ScriptTooLarge: { phase: 'uninstall', breaks: (script) => script + '#'.repeat(262_144) },
  ScriptHasCR: replacing('install', /\n/g, '\r\n'),
  ScriptHasBOM: replacing('install', /^/g, '\ufeff'),
  NoFinalNewline: replacing('leave', /\n$/g, ''),
  AllowWithoutReason: inserting('leave', '# kpssh-lint: allow Reboots', 'true'),
  AllowUnknown: inserting('leave', '# kpssh-lint: allow Everything -- it is late', 'true'),
  AllowUnused: inserting('leave', '# kpssh-lint: allow Reboots -- it does not any more', 'true'),
}

/** A parameter with a default, which some profiles lack: without one there is nothing to forget. */
const optional = { name: 'broken', type: 'String', default: 'x' } as const

function withFault(profile: Profile, rule: string): Profile {
  const { phase, breaks } = faults[rule] ?? assert.fail(rule)
  const script = profile.spec.scripts[phase] ?? ''
  const parameters = [...(profile.spec.parameters ?? []), ...(rule === 'UnsetVar' ? [optional] : [])]
  const scripts = { ...profile.spec.scripts, [phase]: breaks(script, profile) }
  return { ...profile, spec: { ...profile.spec, parameters, scripts } }
}

it('there is a fault for every rule', () => {
  const names = [...rules, ...allowanceRules].map(({ name }) => name)
  assert.deepEqual(Object.keys(faults).sort(), [...names].sort())
})

for (const name of readdirSync(root)) {
  describe(`the profile ${name}`, async () => {
    const { profile } = (await readProfileFolder(`${root}/${name}`)).examined
    assert.ok(profile)
    it('has no finding as it is', () => assert.deepEqual(lintProfile(profile), []))
    for (const rule of Object.keys(faults)) {
      it(`is caught by ${rule} when it is broken that way`, () => {
        const reasons = lintProfile(withFault(profile, rule)).map(({ reason }) => reason)
        assert.ok(reasons.includes(rule), `found ${reasons.join(', ') || 'nothing'}`)
      })
    }
  })
}
