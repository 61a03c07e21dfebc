import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JoinContext } from './join-context.ts'
import type { Profile } from './profile.ts'
import { renderPhase } from './render-phase.ts'
import { parseScriptPhase } from './script-phase.ts'

const context = JoinContext.parse({
  ClusterEndpoint: 'https://10.0.0.1:6443',
  BootstrapToken: 'abcdef.0123456789abcdef',
  NodeName: 'pool-x7k2p',
  HostAddress: '10.0.0.11',
  NodeAddress: '10.0.0.12',
  Vars: { k8sMinor: '1.34' },
  Secrets: { activationId: 'activation-1' },
})

function aProfile(spec: Partial<Profile['spec']> = {}): Profile {
  return {
    metadata: { name: 'test' },
    spec: { version: '3', ...spec, scripts: { install: 'i', join: 'j', leave: 'l', ...spec.scripts } },
  }
}

describe('renderPhase', () => {
  it('ref 54: renders a join with what it is told', () => {
    const join = 'kubelet {{ .NodeName }} {{ .ClusterEndpoint }}\n'
    assert.deepEqual(
      renderPhase(aProfile({ scripts: { join }, timeouts: { join: '90s' } }), 'join', context),
      {
        script: 'kubelet pool-x7k2p https://10.0.0.1:6443\n',
        environment: {
          KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
          KPSSH_CLUSTER_CA_B64: '',
          KPSSH_CLUSTER_ENDPOINT: 'https://10.0.0.1:6443',
          KPSSH_HOST_ADDRESS: '10.0.0.11',
          KPSSH_NODE_ADDRESS: '10.0.0.12',
          KPSSH_NODE_LABELS: '',
          KPSSH_NODE_NAME: 'pool-x7k2p',
          KPSSH_PROVIDER_ID: '',
          KPSSH_SECRET_ACTIVATIONID: 'activation-1',
          KPSSH_TAINTS: '',
          KPSSH_VAR_k8sMinor: '1.34',
        },
        secrets: ['abcdef.0123456789abcdef', '0123456789abcdef', 'activation-1'],
        timeoutMs: 90_000,
        marker: 'test@3',
        agentUnits: ['kubelet'],
      },
    )
  })
  it('ref 55: refuses a field that is not there and names the line', () => {
    assert.throws(() => renderPhase(aProfile({ scripts: { join: 'a\n{{ .Nowhere }}' } }), 'join', context), {
      reason: 'TemplateFailed',
      message: /profile "test": line 2, there is no field Nowhere/,
    })
  })
  it('refuses a script that does not parse', () => {
    assert.throws(() => renderPhase(aProfile({ scripts: { join: '{{ if }}' } }), 'join', context), {
      reason: 'TemplateUnparsable',
    })
  })
  it('ref 56: knows no phase "reboot"', () => {
    assert.throws(() => parseScriptPhase('reboot'), { reason: 'PhaseUnknown', message: /"reboot"/ })
    assert.equal(parseScriptPhase('uninstall'), 'uninstall')
  })
  it('ref 57: refuses an uninstall that the profile does not have', () => {
    assert.throws(() => renderPhase(aProfile(), 'uninstall', context), { reason: 'ScriptMissing' })
  })
  it('shows an install no token, neither in the template nor among the secrets', () => {
    const rendered = renderPhase(
      aProfile({ scripts: { install: '[{{ .BootstrapToken }}]' } }),
      'install',
      context,
    )
    assert.equal(rendered.script, '[]')
    assert.deepEqual(rendered.secrets, ['activation-1'])
  })
  it('shows a leave the two addresses alone', () => {
    const leave = '{{ .HostAddress }} {{ .NodeAddress }}'
    const rendered = renderPhase(aProfile({ scripts: { leave } }), 'leave', context)
    assert.equal(rendered.script, '10.0.0.11 10.0.0.12')
    assert.deepEqual(rendered.secrets, [])
    for (const script of ['{{ .Vars.k8sMinor }}', '{{ index .Secrets "activationId" }}{{ .Vars.x }}']) {
      assert.throws(() => renderPhase(aProfile({ scripts: { leave: script } }), 'leave', context), {
        reason: 'TemplateFailed',
      })
    }
  })
  it('SSH-23: runs scripts from Windows with LF alone, heredocs included', () => {
    const join = '\ufeffset -u\r\ncat <<E\r\nx\r\nE\r\necho a\recho b'
    assert.equal(
      renderPhase(aProfile({ scripts: { join } }), 'join', context).script,
      'set -u\ncat <<E\nx\nE\necho a\necho b',
    )
  })
  it('takes the units that the profile names', () => {
    assert.deepEqual(renderPhase(aProfile({ agentUnits: ['k0sworker'] }), 'join', context).agentUnits, [
      'k0sworker',
    ])
  })
})
