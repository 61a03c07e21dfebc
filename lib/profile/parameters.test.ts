import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JoinContext } from './join-context.ts'
import {
  effectiveVars,
  parameterProblems,
  requireValidVars,
  undeclaredVars,
  varProblems,
} from './parameters.ts'
import type { Parameter, Profile } from './profile.ts'
import { renderPhase } from './render-phase.ts'

function declaring(...parameters: readonly Parameter[]): Profile {
  const script = 'echo {{ .Vars.clusterDNS }}'
  return {
    metadata: { name: 'test' },
    spec: { parameters, scripts: { install: script, join: script, leave: 'true', uninstall: 'true' } },
  }
}

const profile = declaring(
  { name: 'k8sMinor', pattern: '1\\.[0-9]+' },
  { name: 'clusterDNS', type: 'String', default: '10.96.0.10' },
  { name: 'maxPods', type: 'Integer', default: '110', pattern: '[0-9]{1,3}' },
)

describe('effectiveVars', () => {
  it('fills in defaults, and keeps what is passed, also what is not declared', () => {
    assert.deepEqual(effectiveVars(profile, { k8sMinor: '1.36', maxPods: '', other: 'x' }), {
      clusterDNS: '10.96.0.10',
      k8sMinor: '1.36',
      maxPods: '',
      other: 'x',
    })
    assert.deepEqual(effectiveVars(declaring()), {})
  })
})

describe('what scripts see of vars', () => {
  const seen = (phase: 'install' | 'join' | 'leave' | 'uninstall', Vars?: Record<string, string>) =>
    renderPhase(profile, phase, JoinContext.parse({ HostAddress: '192.0.2.1', Vars: Vars ?? null }))

  it('are the defaults too, in the environment and in templates', () => {
    for (const phase of ['install', 'join'] as const) {
      const { environment, script } = seen(phase, { k8sMinor: '1.36', maxPods: '7' })
      assert.equal(environment['KPSSH_VAR_clusterDNS'], '10.96.0.10')
      assert.equal(environment['KPSSH_VAR_maxPods'], '7')
      assert.equal(script, 'echo 10.96.0.10')
    }
  })
  it('is nothing at all when a host leaves, whatever is declared', () => {
    for (const phase of ['leave', 'uninstall'] as const) {
      const names = Object.keys(seen(phase, { k8sMinor: 'wrong' }).environment)
      assert.deepEqual(
        names.filter((name) => name.startsWith('KPSSH_VAR_')),
        [],
      )
    }
  })
  it('stops a phase before anything is sent when they are wrong', () => {
    assert.throws(() => seen('install'), {
      reason: 'ProfileVarsInvalid',
      message: 'Cannot use profile "test": vars.k8sMinor is missing and has no default',
    })
    assert.throws(() => seen('join', { k8sMinor: '1.36', maxPods: '1000' }), {
      reason: 'ProfileVarsInvalid',
      message: 'Cannot use profile "test": vars.maxPods does not match [0-9]{1,3}',
    })
  })
})

describe('varProblems', () => {
  const problems = (parameter: Omit<Parameter, 'name'>, value: string) =>
    varProblems(declaring({ name: 'a', ...parameter }), { a: value }).length

  it('takes integers as shells read them, and booleans in one spelling', () => {
    for (const value of ['0', '-1', '42']) assert.equal(problems({ type: 'Integer' }, value), 0, value)
    for (const value of ['', '08', '+1', '1.0', '0x1', ' 1', '-0x', 'eins']) {
      assert.equal(problems({ type: 'Integer' }, value), 1, value)
    }
    for (const value of ['true', 'false']) assert.equal(problems({ type: 'Boolean' }, value), 0, value)
    for (const value of ['True', '1', 'yes', '']) assert.equal(problems({ type: 'Boolean' }, value), 1, value)
  })
  it('takes any text as a String, and for a whole pattern only', () => {
    assert.equal(problems({}, 'any\ntext'), 0)
    assert.equal(problems({ type: 'String', pattern: 'a|b' }, 'b'), 0)
    assert.equal(problems({ type: 'String', pattern: 'a|b' }, 'ab'), 1)
  })
  it('does not take what every object has for a var', () => {
    assert.equal(varProblems(declaring({ name: 'constructor' }), {}).length, 1)
  })
  it('quotes no values: they may be what they should not be', () => {
    assert.throws(
      () => requireValidVars(declaring({ name: 'a', type: 'Integer' }), { a: 's3cr3t' }),
      (error: Error) => !error.message.includes('s3cr3t'),
    )
  })
})

describe('parameterProblems', () => {
  it('names the field of a default that does not fit, of a bad pattern and of a second declaration', () => {
    const contradicting = declaring(
      { name: 'a', type: 'Boolean', default: 'no' },
      { name: 'b', pattern: '(?=x)' },
      { name: 'a' },
      { name: 'c', default: 'xy', pattern: 'x' },
    )
    assert.deepEqual(
      parameterProblems(contradicting).map(({ field, message }) => `${field} ${message}`),
      [
        'spec.parameters[0].default of "a" is no Boolean, write true or false',
        'spec.parameters[1].pattern of "b" cannot be used, "(?=" is not among what a pattern may hold: characters, classes, groups, | and repetitions',
        'spec.parameters[2].name "a" is there twice',
        'spec.parameters[3].default of "c" does not match x',
      ],
    )
    assert.deepEqual(parameterProblems(profile), [])
  })
})

describe('undeclaredVars', () => {
  it('names what the profile does not declare, where it declares anything', () => {
    assert.deepEqual(undeclaredVars(profile, { k8sMinor: '1.36', z: '', k8sminor: '' }), ['k8sminor', 'z'])
    assert.deepEqual(undeclaredVars(declaring(), { z: '' }), [])
  })
})
