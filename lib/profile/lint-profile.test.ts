import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lintProfile } from './lint-profile.ts'
import type { Profile } from './profile.ts'

const install = 'set -euo pipefail\n'
const join = 'set -euo pipefail\nsystemctl enable --now kubelet\n'
const leave = 'set -euo pipefail\nsystemctl disable --now kubelet\n'

function found(scripts: Profile['spec']['scripts'], spec: Partial<Profile['spec']> = {}): readonly string[] {
  const profile = {
    metadata: { name: 'test' },
    spec: { ...spec, scripts: { install, join, leave, ...scripts } },
  }
  return lintProfile(profile).map(({ phase, line, reason }) => `${phase}:${line} ${reason}`)
}

describe('lintProfile', () => {
  it('finds nothing in a careful profile', () => {
    assert.deepEqual(found({}), [])
  })
  it('lists what validation finds beside habits, in order of phase and line', () => {
    assert.deepEqual(found({ install: 'a\r\nb {{ .Vars.a }', leave: '' }, { timeouts: { join: 'soon' } }), [
      'install:1 ScriptHasCR',
      'install:2 TemplateUnparsable',
      'install:2 HasTemplate',
      'install:2 NoFinalNewline',
      'join:0 TimeoutInvalid',
      'leave:0 ScriptMissing',
    ])
  })
  it('looks at scripts together: what leave disables, join enables', () => {
    assert.deepEqual(found({ leave: `${leave}systemctl disable --now containerd\n` }), [
      'join:1 JoinDoesNotEnable',
    ])
  })
  it('knows the agent units and parameters of the profile', () => {
    assert.deepEqual(
      found({ install: `${install}echo "$KPSSH_VAR_a"\n` }, { agentUnits: ['k3s-agent'], parameters: [] }),
      ['install:2 UndeclaredVar', 'leave:1 LeaveKeepsUnit'],
    )
  })
})
