import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildEnvironment } from '../environment.ts'
import { makeJoinContext, makeLeaveContext } from '../join-context.ts'
import type { Parameter, Profile } from '../profile.ts'
import { scriptPhases, type ScriptPhase } from '../script-phase.ts'
import { manifestParams } from './manifest-params.ts'
import { parsePortablePattern } from './portable-pattern.ts'

function declaring(...parameters: readonly Parameter[]): Profile {
  const scripts = {
    install: 'echo "$KPSSH_SECRET_B"',
    join: 'echo "${KPSSH_SECRET_A_1:-}" "$KPSSH_SECRET_B"',
    leave: ':',
  }
  return { metadata: { name: 'test' }, spec: { parameters, scripts } }
}

function patterns(phase: ScriptPhase, ...parameters: readonly Parameter[]): Readonly<Record<string, string>> {
  const result = manifestParams(declaring(...parameters), phase)
  if (result.kind === 'refused') assert.fail(result.message)
  return Object.fromEntries(result.params.map(({ name, pattern }) => [name, pattern]))
}

function takes(pattern: string | undefined, value: string): boolean {
  const parsed = parsePortablePattern(pattern ?? '')
  return parsed.kind === 'pattern' && parsed.matches(value)
}

const context = makeJoinContext({
  host: { address: 'fe80::1%eth0', nodeAddress: '10.0.0.12' },
  cluster: { endpoint: 'https://[2001:db8::1]:6443/k8s/clusters/c-1', caBundle: 'Q0E=' },
  bootstrapToken: 'abcdef.0123456789abcdef',
  nodeName: 'pool-x7k2p',
  providerID: 'kpssh://kpssh-system/host-a',
  labels: { 'karpenter.sh/nodepool': 'pool', team: '' },
  taints: [{ key: 'team', value: 'ml', effect: 'NoExecute' }],
  vars: { maxPods: '110', ready: 'true', note: 'any "text"' },
  secrets: { 'a.1': 's3cr3t', b: '' },
})
const parameters: readonly Parameter[] = [
  { name: 'maxPods', type: 'Integer' },
  { name: 'ready', type: 'Boolean' },
  { name: 'note' },
]

describe('manifestParams', () => {
  for (const phase of scriptPhases) {
    it(`lists for ${phase} what a ${phase} is told, and nothing else`, () => {
      const told = buildEnvironment(
        phase,
        phase === 'leave' ? makeLeaveContext({ address: 'host-a' }) : context,
      )
      const allowed = patterns(phase, ...parameters)
      assert.deepEqual(Object.keys(allowed), Object.keys(told).sort())
      for (const [name, value] of Object.entries(told)) {
        assert.ok(takes(allowed[name], value), `${name}: ${allowed[name] ?? ''}`)
        assert.equal(takes(allowed[name], `${value}\n`), false, name)
        assert.equal(takes(allowed[name], `${value}\u00e9`), false, name)
      }
    })
  }
  it('gives a leave the addresses alone: everything else must be empty', () => {
    const allowed = patterns('leave', ...parameters)
    const filled = Object.entries(allowed).filter(([, pattern]) => takes(pattern, 'a'))
    assert.deepEqual(
      filled.map(([name]) => name),
      ['KPSSH_HOST_ADDRESS', 'KPSSH_NODE_ADDRESS'],
    )
  })
  it('gives an install no token', () => {
    assert.equal(takes(patterns('install')['KPSSH_BOOTSTRAP_TOKEN'], 'abcdef.0123456789abcdef'), false)
    assert.equal(takes(patterns('join')['KPSSH_BOOTSTRAP_TOKEN'], 'abcdef.0123456789abcdef'), true)
  })
  it('makes of types what shells read, and of patterns what hosts read', () => {
    assert.deepEqual(
      Object.entries(
        patterns('join', ...parameters, { name: 'k8sMinor', type: 'String', pattern: '1\\.\\d+' }),
      ).filter(([name]) => name.includes('_VAR_') || name.includes('_SECRET_')),
      [
        ['KPSSH_SECRET_A_1', '[ -~]*'],
        ['KPSSH_SECRET_B', '[ -~]*'],
        ['KPSSH_VAR_k8sMinor', '1\\.[0-9]+'],
        ['KPSSH_VAR_maxPods', '-?(0|[1-9][0-9]*)'],
        ['KPSSH_VAR_note', '[ -~]*'],
        ['KPSSH_VAR_ready', '(true|false)'],
      ],
    )
  })
  it('names the field of a pattern that no host could check', () => {
    assert.deepEqual(manifestParams(declaring({ name: 'a' }, { name: 'b', pattern: '(x?)*' }), 'join'), {
      kind: 'refused',
      field: 'spec.parameters[1].pattern',
      message: 'of "b" cannot be signed, "(x?)*" repeats what may be empty',
    })
  })
})
