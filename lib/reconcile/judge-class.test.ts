import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNodeClass, aProfile, anSSHHost } from '../../test/support/builders/kubernetes.ts'
import { judgeClass } from './judge-class.ts'

const hosts = [anSSHHost({ metadata: { labels: { rack: 'r1' } } })]

describe('judgeClass', () => {
  it('ref 121: is Ready with a valid profile and a host', () => {
    assert.deepEqual(judgeClass(aNodeClass(), aProfile(), hosts), {
      status: 'True',
      reason: 'Ready',
      message: '',
    })
  })

  it('ref 119: says ProfileNotFound, naming the profile', () => {
    assert.deepEqual(judgeClass(aNodeClass(), undefined, hosts), {
      status: 'False',
      reason: 'ProfileNotFound',
      message: 'SSHJoinProfile "demo" does not exist',
    })
  })

  it('ref 63: says ProfileInvalid for a leave that needs more than the addresses, also in a branch not taken', () => {
    for (const leave of [
      '{{ .Vars.k8sMinor }}',
      '{{ if false }}{{ .ClusterEndpoint }}{{ end }}',
      'x {{ $.Secrets }}',
    ]) {
      const profile = aProfile({ spec: { scripts: { install: 'a', join: 'b', leave } } })
      assert.equal(judgeClass(aNodeClass(), profile, hosts).reason, 'ProfileInvalid')
    }
  })

  it('accepts a leave that refers to the host addresses alone', () => {
    const scripts = { install: 'a\n', join: 'b\n', leave: 'echo {{ .HostAddress }} {{ .NodeAddress }}\n' }
    assert.equal(judgeClass(aNodeClass(), aProfile({ spec: { scripts } }), hosts).status, 'True')
  })

  it('says SelectorError for an operator that means nothing', () => {
    const hostSelector = { matchExpressions: [{ key: 'rack', operator: 'Above', values: ['r1'] }] }
    assert.equal(
      judgeClass(aNodeClass({ spec: { hostSelector } }), aProfile(), hosts).reason,
      'SelectorError',
    )
  })

  it('ref 120: says NoHosts when the selector selects none', () => {
    const nodeClass = aNodeClass({ spec: { hostSelector: { matchLabels: { rack: 'r9' } } } })
    assert.equal(judgeClass(nodeClass, aProfile(), hosts).reason, 'NoHosts')
    assert.equal(judgeClass(aNodeClass(), aProfile(), []).reason, 'NoHosts')
  })

  it('checks the profile before the selector, and the selector before the hosts', () => {
    const nodeClass = aNodeClass({
      spec: { hostSelector: { matchExpressions: [{ key: 'rack', operator: 'Above', values: [] }] } },
    })
    assert.equal(judgeClass(nodeClass, undefined, []).reason, 'ProfileNotFound')
    assert.equal(judgeClass(nodeClass, aProfile(), []).reason, 'SelectorError')
  })

  describe('the vars of the class', () => {
    const parameters = [
      { name: 'k8sMinor', type: 'String', pattern: '1\\.[0-9]{2}' },
      { name: 'maxPods', type: 'Integer', default: '110' },
      { name: 'serverTLSBootstrap', type: 'Boolean', default: 'false' },
    ] as const
    const profile = aProfile({ spec: { parameters: [...parameters] } })
    const judged = (vars?: Record<string, string>) =>
      judgeClass(aNodeClass({ spec: vars === undefined ? {} : { vars } }), profile, hosts)

    it('are Ready when what has no default is there and everything fits', () => {
      for (const vars of [
        { k8sMinor: '1.36' },
        { k8sMinor: '1.36', maxPods: '0', serverTLSBootstrap: 'true' },
      ]) {
        assert.deepEqual(judged(vars), { status: 'True', reason: 'Ready', message: '' })
      }
    })

    it('are told by their names when they are missing, of another type, or do not match', () => {
      const message = (vars?: Record<string, string>) => {
        const verdict = judged(vars)
        assert.equal(verdict.reason, 'ProfileVarsInvalid')
        return verdict.message
      }
      assert.equal(message(), 'SSHJoinProfile "demo": vars.k8sMinor is missing and has no default')
      assert.equal(
        message({ k8sMinor: '1.36.1' }),
        'SSHJoinProfile "demo": vars.k8sMinor does not match 1\\.[0-9]{2}',
      )
      assert.equal(
        message({ k8sMinor: '1.36', maxPods: 'many', serverTLSBootstrap: 'yes' }),
        'SSHJoinProfile "demo": vars.maxPods is no Integer, write decimal digits without leading zeros; ' +
          'vars.serverTLSBootstrap is no Boolean, write true or false',
      )
    })

    it('are a warning when the profile does not know them, unless it declares none at all', () => {
      assert.deepEqual(judged({ k8sMinor: '1.36', k8sminor: '1.36' }), {
        status: 'True',
        reason: 'Ready',
        message: 'vars.k8sminor is not declared by SSHJoinProfile "demo"',
      })
      assert.equal(judgeClass(aNodeClass({ spec: { vars: { a: 'b' } } }), aProfile(), hosts).message, '')
    })

    it('cannot be judged by a profile that contradicts itself', () => {
      const contradicting = aProfile({
        spec: { parameters: [{ name: 'maxPods', type: 'Integer', default: 'many' }] },
      })
      assert.deepEqual(judgeClass(aNodeClass(), contradicting, hosts), {
        status: 'False',
        reason: 'ProfileInvalid',
        message:
          'SSHJoinProfile "demo": spec.parameters[0].default of "maxPods" is no Integer, write decimal digits without leading zeros',
      })
    })
  })
})
