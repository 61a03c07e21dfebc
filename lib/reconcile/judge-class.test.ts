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
})
