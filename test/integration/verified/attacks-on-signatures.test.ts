// What somebody can do who may write profiles but has no key, or a key that is not trusted any more; and what a leave needs.
import { execFileSync } from 'node:child_process'
import { describe, it, type TestContext } from 'node:test'
import assert from 'node:assert/strict'
import {
  aJoin,
  claiming,
  dayMs,
  ran,
  requireRuns,
  requireUnable,
  withManifest,
} from '../../support/sshd/attempts.ts'
import { aSigner, certified, signedRun, type Signer } from '../../support/sshd/signer.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost, manifestSigner } from '../../support/sshd/verified-host.ts'

describe('a leave', { concurrency: 3, ...needsSshd }, () => {
  it('is accepted with a manifest that has expired and has a low serial: a node must be able to go', async (test) => {
    const host = await aVerifiedHost(test)
    await requireRuns(host, withManifest(host, aJoin('join'), { serial: 9 }))
    const now = Date.now()
    const old = { serial: 2, notBeforeMs: now - 90 * dayMs, notAfterMs: now - 60 * dayMs }
    await requireRuns(host, withManifest(host, aJoin('leave', { phase: 'leave' }), old))
    assert.deepEqual(ran(host), ['ran-join', 'ran-leave'])
    assert.equal(host.read('var/lib/kpssh/serials/demo'), '9\n')
  })

  it('still needs a signature, its digest, and parameters that the manifest lists', async (test) => {
    const host = await aVerifiedHost(test)
    const leave = withManifest(host, aJoin('leave', { phase: 'leave' }))
    await requireUnable(host, claiming(leave, { script: `${leave.script}id\n` }), 'ManifestDigestMismatch')
    await requireUnable(host, claiming(leave, { environment: { KPSSH_EVIL: 'x' } }), 'ParameterRefused')
    const stranger = signedRun(aSigner(test), aJoin('leave', { phase: 'leave' }))
    await requireUnable(host, stranger, 'SignatureRejected')
  })
})

async function withStranger(test: TestContext, trust: (publicKey: string) => string) {
  const host = await aVerifiedHost(test)
  const stranger = aSigner(test)
  host.trust(manifestSigner(host.signer), trust(stranger.publicKey))
  return { host, stranger, request: signedRun(stranger, aJoin('join')) }
}

describe('a signer', { concurrency: 3, ...needsSshd }, () => {
  it('that is unknown is not believed: whoever may write profiles needs the key', async (test) => {
    const host = await aVerifiedHost(test)
    await requireUnable(host, signedRun(aSigner(test), aJoin('join')), 'SignatureRejected')
  })

  it('that was removed from allowed_signers is not believed any more', async (test) => {
    const { host, request } = await withStranger(test, (key) => `kpssh namespaces="kpssh-manifest" ${key}`)
    await requireRuns(host, request)
    host.trust(manifestSigner(host.signer))
    await requireUnable(host, claiming(request, {}), 'SignatureRejected')
  })

  it('that is among the revoked keys is not believed any more, whatever it signed', async (test) => {
    const { host, stranger, request } = await withStranger(
      test,
      (key) => `kpssh namespaces="kpssh-manifest" ${key}`,
    )
    await requireRuns(host, request)
    host.revoke(stranger.publicKey)
    await requireUnable(host, claiming(request, {}), 'SignatureRejected')
    await requireRuns(host, withManifest(host, aJoin('other'), { serial: 2 }))
  })

  it('whose time is over, or has not come, is not believed', async (test) => {
    for (const when of ['valid-before="20250101"', 'valid-after="20990101"']) {
      const { host, request } = await withStranger(
        test,
        (key) => `kpssh namespaces="kpssh-manifest",${when} ${key}`,
      )
      await requireUnable(host, request, 'SignatureRejected')
    }
  })

  it('that may sign as somebody else, or for another namespace, is not believed', async (test) => {
    for (const line of ['root namespaces="kpssh-manifest"', 'kpssh namespaces="file,git"']) {
      const { host, request } = await withStranger(test, (key) => `${line} ${key}`)
      await requireUnable(host, request, 'SignatureRejected')
    }
  })

  it('signs nothing that is no manifest', async (test) => {
    const host = await aVerifiedHost(test)
    const request = aJoin('join')
    const texts = ['', 'hello\n', 'kpssh-manifest: 2\n', `kpssh-manifest: 1\nprofile: ../../etc\n`]
    for (const manifest of texts) {
      const signature = host.signer.sign(manifest, 'kpssh-manifest')
      const reason = manifest === '' ? 'EnvelopeRefused' : 'ManifestMalformed'
      await requireUnable(host, claiming(request, { signed: { manifest: { manifest, signature } } }), reason)
    }
  })
})

describe('an authority', { concurrency: 2, ...needsSshd }, () => {
  /** Of the signer's key, for that principal and time. */
  function certify(authority: Signer, signer: Signer, principal: string, valid: string): void {
    const args = [
      '-q',
      '-s',
      authority.keyFile,
      '-I',
      'alice',
      '-n',
      principal,
      '-V',
      valid,
      `${signer.keyFile}.pub`,
    ]
    execFileSync('ssh-keygen', args, { stdio: 'ignore' })
  }

  it('lets keys sign that it has certified, without the host being told of them', async (test) => {
    const host = await aVerifiedHost(test)
    const [authority, signer] = [aSigner(test), aSigner(test)]
    host.trust(`kpssh cert-authority,namespaces="kpssh-manifest" ${authority.publicKey}`)
    await requireUnable(host, signedRun(signer, aJoin('bare')), 'SignatureRejected')
    certify(authority, signer, 'kpssh', '-1d:+1d')
    await requireRuns(host, signedRun(certified(signer), aJoin('certified')))
    // Its own signature is none.
    await requireUnable(host, signedRun(authority, aJoin('own')), 'SignatureRejected')
  })

  const useless: readonly [string, string, string][] = [
    ['for somebody else', 'root', '-1d:+1d'],
    ['for a time that is over', 'kpssh', '-2d:-1d'],
  ]
  for (const [what, principal, valid] of useless) {
    it(`is not believed where it has certified a key ${what}`, async (test) => {
      const host = await aVerifiedHost(test)
      const [authority, signer] = [aSigner(test), aSigner(test)]
      host.trust(`kpssh cert-authority,namespaces="kpssh-manifest" ${authority.publicKey}`)
      certify(authority, signer, principal, valid)
      await requireUnable(host, signedRun(certified(signer), aJoin('join')), 'SignatureRejected')
    })
  }

  it('is overruled by the revocation of a key that it has certified', async (test) => {
    const host = await aVerifiedHost(test)
    const [authority, signer] = [aSigner(test), aSigner(test)]
    host.trust(`kpssh cert-authority,namespaces="kpssh-manifest" ${authority.publicKey}`)
    certify(authority, signer, 'kpssh', '-1d:+1d')
    const request = signedRun(certified(signer), aJoin('join'))
    await requireRuns(host, request)
    host.revoke(signer.publicKey)
    await requireUnable(host, claiming(request, {}), 'SignatureRejected')
  })
})
