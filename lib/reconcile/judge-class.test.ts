import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClass, aProfile, anSSHHost } from '../../test/support/builders/kubernetes.ts'
import { signManifests, signScripts } from '../../test/support/signing/sign-profile.ts'
import { aSigner } from '../../test/support/signing/test-signer.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import { judgeClass } from './judge-class.ts'

const hosts = [anSSHHost({ metadata: { labels: { rack: 'r1' } } })]
const around = { sshHosts: hosts, nowMs: t0 }

describe('judgeClass', () => {
  it('ref 121: is Ready with a valid profile and a host', () => {
    assert.deepEqual(judgeClass(aNodeClass(), aProfile(), around), {
      status: 'True',
      reason: 'Ready',
      message: '',
    })
  })

  it('ref 119: says ProfileNotFound, naming the profile', () => {
    assert.deepEqual(judgeClass(aNodeClass(), undefined, around), {
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
      assert.equal(judgeClass(aNodeClass(), profile, around).reason, 'ProfileInvalid')
    }
  })

  it('accepts a leave that refers to the host addresses alone', () => {
    const scripts = { install: 'a\n', join: 'b\n', leave: 'echo {{ .HostAddress }} {{ .NodeAddress }}\n' }
    assert.equal(judgeClass(aNodeClass(), aProfile({ spec: { scripts } }), around).status, 'True')
  })

  it('says SelectorError for an operator that means nothing', () => {
    const hostSelector = { matchExpressions: [{ key: 'rack', operator: 'Above', values: ['r1'] }] }
    assert.equal(
      judgeClass(aNodeClass({ spec: { hostSelector } }), aProfile(), around).reason,
      'SelectorError',
    )
  })

  it('ref 120: says NoHosts when the selector selects none', () => {
    const nodeClass = aNodeClass({ spec: { hostSelector: { matchLabels: { rack: 'r9' } } } })
    assert.equal(judgeClass(nodeClass, aProfile(), around).reason, 'NoHosts')
    assert.equal(judgeClass(aNodeClass(), aProfile(), { sshHosts: [], nowMs: t0 }).reason, 'NoHosts')
  })

  it('checks the profile before the selector, and the selector before the hosts', () => {
    const nodeClass = aNodeClass({
      spec: { hostSelector: { matchExpressions: [{ key: 'rack', operator: 'Above', values: [] }] } },
    })
    assert.equal(judgeClass(nodeClass, undefined, { sshHosts: [], nowMs: t0 }).reason, 'ProfileNotFound')
    assert.equal(judgeClass(nodeClass, aProfile(), { sshHosts: [], nowMs: t0 }).reason, 'SelectorError')
  })

  describe('the vars of the class', () => {
    const parameters = [
      { name: 'k8sMinor', type: 'String', pattern: '1\\.[0-9]{2}' },
      { name: 'maxPods', type: 'Integer', default: '110' },
      { name: 'serverTLSBootstrap', type: 'Boolean', default: 'false' },
    ] as const
    const profile = aProfile({ spec: { parameters: [...parameters] } })
    const judged = (vars?: Record<string, string>) =>
      judgeClass(aNodeClass({ spec: vars === undefined ? {} : { vars } }), profile, around)

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
      assert.equal(judgeClass(aNodeClass({ spec: { vars: { a: 'b' } } }), aProfile(), around).message, '')
    })

    it('cannot be judged by a profile that contradicts itself', () => {
      const contradicting = aProfile({
        spec: { parameters: [{ name: 'maxPods', type: 'Integer', default: 'many' }] },
      })
      assert.deepEqual(judgeClass(aNodeClass(), contradicting, around), {
        status: 'False',
        reason: 'ProfileInvalid',
        message:
          'SSHJoinProfile "demo": spec.parameters[0].default of "maxPods" is no Integer, write decimal digits without leading zeros',
      })
    })
  })
})

describe('a class whose hosts run nothing but what was signed', () => {
  const signer = aSigner()
  const profile = aProfile()
  const aVerifiedHost = (name: string, ...signers: readonly string[]) =>
    anSSHHost({ name, spec: { execMode: 'Verified', trustedSigners: [...signers] } })
  const judge = (spec: Partial<typeof profile.spec>, sshHosts: readonly SSHHost[], nowMs = t0) =>
    judgeClass(aNodeClass(), aProfile({ spec }), { sshHosts, nowMs })
  const manifests = signManifests(profile, signer, { nowMs: t0 })
  const trusting = aVerifiedHost('v1', signer.publicLine)

  it('is Ready while each could run the profile', () => {
    assert.equal(judge({ manifests }, [trusting, ...hosts]).status, 'True')
    assert.equal(judge({ signatures: signScripts(profile, signer) }, [trusting]).status, 'True')
  })

  it('ref flaw 30: is not Ready as soon as one could not, and says which, what and why', () => {
    const verdict = judge({}, [...hosts, trusting, aVerifiedHost('v2', signer.publicLine)])
    assert.equal(verdict.reason, 'ProfileNotSigned')
    assert.match(verdict.message, /SSHHost "v1" and 1 more could not run install: .*no signature/)
  })

  it('is not Ready for a host that trusts somebody else', () => {
    const verdict = judge({ manifests }, [trusting, aVerifiedHost('v2', aSigner().publicLine)])
    assert.match(verdict.message, /SSHHost "v2" could not run install: .*not in the trusted set/)
  })

  it('is not Ready once what was signed has expired', () => {
    const verdict = judge({ manifests }, [trusting], t0 + 366 * 86_400_000)
    assert.match(verdict.message, /could not run install: .*valid until/)
  })

  it('is not Ready with a var that nobody signed', () => {
    const nodeClass = aNodeClass({ spec: { vars: { stray: 'x' } } })
    const verdict = judgeClass(nodeClass, aProfile({ spec: { manifests } }), {
      sshHosts: [trusting],
      nowMs: t0,
    })
    assert.match(verdict.message, /KPSSH_VAR_stray/)
  })

  const judgeByEnvelope = (spec: Partial<typeof profile.spec>, envelope: number) =>
    judgeClass(aNodeClass(), aProfile({ spec }), {
      sshHosts: [trusting],
      nowMs: t0,
      envelopeOf: () => envelope,
    })
  const signatures = signScripts(profile, signer)

  it('is not Ready for a shim that reads no manifests, where there is nothing else', () => {
    assert.match(
      judgeByEnvelope({ manifests }, 1).message,
      /SSHHost "v1" could not run install: .*envelope version 1/,
    )
    assert.equal(judgeByEnvelope({ manifests, signatures }, 1).status, 'True')
    assert.equal(judgeByEnvelope({ manifests }, 2).status, 'True')
  })

  it('asks of each host what it would be sent', () => {
    const foreign = signScripts(profile, aSigner())
    const expired = signManifests(profile, signer, { nowMs: t0 - 400 * 86_400_000 })
    assert.equal(judgeByEnvelope({ manifests, signatures: foreign }, 2).status, 'True')
    assert.match(judgeByEnvelope({ manifests, signatures: foreign }, 1).message, /signatures\.install/)
    assert.equal(judgeByEnvelope({ manifests: expired, signatures }, 1).status, 'True')
  })

  it('is not Ready where a script may take longer than its connection lasts', () => {
    const timeouts = { install: '14m' }
    assert.match(judgeByEnvelope({ signatures, timeouts }, 1).message, /840 s.*800 s.*timeouts\.install/)
    assert.equal(judgeByEnvelope({ manifests, timeouts }, 2).status, 'True')
  })

  it('is Ready whatever a host could run that is being deleted', () => {
    const leaving = aVerifiedHost('v2', aSigner().publicLine)
    const deleted = {
      ...leaving,
      metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }
    assert.equal(judge({ manifests }, [trusting, deleted]).status, 'True')
  })

  it('reads a manifest once, however many signers are trusted', () => {
    const params = Array.from({ length: 1500 }, (_, index) => ({
      name: `KPSSH_VAR_${String(index).padStart(4, '0')}`,
      pattern: '.{200}.{200}.{200}',
    }))
    const large = signManifests(profile, signer, { nowMs: t0, params })
    const many = Array.from({ length: 200 }, (_, index) =>
      aVerifiedHost(`v${index}`, `${signer.publicLine} ${index}`),
    )
    const begunMs = performance.now()
    assert.equal(judge({ manifests: large }, many).status, 'True')
    // 200 times the manifests would take a quarter of a minute.
    assert.ok(performance.now() - begunMs < 5000)
  })

  it('checks what many hosts trust once', () => {
    const many = Array.from({ length: 5000 }, (_, index) => aVerifiedHost(`v${index}`, signer.publicLine))
    const verdict = judge({}, many)
    assert.match(verdict.message, /SSHHost "v0" and 4999 more/)
  })
})
