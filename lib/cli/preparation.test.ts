import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { preparationScript, type Preparation } from './preparation.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKKsEFsTyvc6o3hkrxjGZDLyq0PwFoADLKEIzrDNx5Bt'
const loginKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const stolen = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB'
const whole: Preparation = {
  user: 'kpssh',
  loginKey: `${loginKey} control-plane\n`,
  from: '203.0.113.7,2001:db8::/32',
  signers: `${key} alice\n`,
  revoked: '',
  acceptsV1: false,
}
const sources = { shim: '#!/bin/sh\necho shim\n', prepare: 'prepare() { :; }\nprepare\n' }

/** What a shell takes the variables for, without running the rest. */
function variables(more: Partial<Preparation> = {}): Readonly<Record<string, string>> {
  const probe = `printf '%s\\0' "$login" "$authorized_keys" "$allowed_signers" "$revoked_keys" "$(shim_text)"\n`
  const script = preparationScript({ ...whole, ...more }, { ...sources, prepare: probe })
  const { stdout, status } = spawnSync('sh', ['-s'], { input: script })
  assert.equal(status, 0)
  const [login = '', authorizedKeys = '', allowedSigners = '', revokedKeys = '', shim = ''] = stdout
    .toString()
    .split('\0')
  return { login, authorizedKeys, allowedSigners, revokedKeys, shim }
}

describe('preparationScript', () => {
  it('lets the login key reach the shim alone, from where it may, and trusts signers of manifests alone', () => {
    assert.deepEqual(variables(), {
      login: 'kpssh',
      authorizedKeys: `restrict,command="/opt/kpssh/kpssh-shim",from="203.0.113.7,2001:db8::/32" ${loginKey} kpssh`,
      allowedSigners: `kpssh namespaces="kpssh-manifest" ${key}`,
      revokedKeys: '',
      shim: '#!/bin/sh\necho shim',
    })
  })

  it('trusts scripts that were signed without a manifest only where that is asked for', () => {
    const { allowedSigners } = variables({ acceptsV1: true })
    assert.equal(allowedSigners, `kpssh namespaces="kpssh-manifest,kpssh" ${key}`)
  })

  it('keeps what a line of a signer says of itself', () => {
    const signers = [
      '# our authority',
      `cert-authority ${key} ca`,
      `kpssh namespaces="kpssh-manifest",valid-after="20260101Z",valid-before="20270101120000Z" ${key}`,
    ].join('\n')
    assert.deepEqual(variables({ signers })['allowedSigners']?.split('\n'), [
      `kpssh cert-authority,namespaces="kpssh-manifest" ${key}`,
      `kpssh namespaces="kpssh-manifest",valid-after="20260101000000Z",valid-before="20270101120000Z" ${key}`,
    ])
  })

  it('lists revoked keys', () => {
    const signers = `${key}\n${stolen}`
    assert.equal(variables({ signers, revoked: `${stolen} stolen\n` })['revokedKeys'], stolen)
  })

  const refused: readonly [string, Partial<Preparation>, RegExp][] = [
    ['root as the login', { user: 'root' }, /Cannot use --user "root"/],
    ['a login that is no name', { user: 'a b' }, /Cannot use --user/],
    ['a quote in --from', { from: '1.2.3.4",command="sh' }, /Cannot use --from/],
    ['nothing in --from', { from: '' }, /Cannot use --from/],
    ['a network that begins elsewhere', { from: '1.2.3.4,192.0.2.7/24' }, /"192.0.2.7\/24" is no network/],
    ['a network that is too long', { from: '!192.0.2.7/33' }, /"!192.0.2.7\/33" is no network/],
    ['a login key that signs as well', { loginKey: key }, /it is a signer too/],
    ['to revoke every signer', { revoked: `${loginKey}\n${key}` }, /no signer is left that is not revoked/],
    ['a login key that is none', { loginKey: 'hello' }, /Cannot use --login-key/],
    ['two login keys', { loginKey: `${loginKey}\n${loginKey}` }, /it holds 2 keys/],
    ['no signer', { signers: '' }, /Cannot use --signer/],
    ['a signer that is none', { signers: 'ssh-ed25519 AAAA' }, /Cannot use --signer/],
    [
      'a signer of something else',
      { signers: `kpssh namespaces="git" ${key}` },
      /it must include kpssh-manifest/,
    ],
    [
      'a signer who is somebody else',
      { signers: `root namespaces="kpssh-manifest" ${key}` },
      /it must include kpssh/,
    ],
  ]
  for (const [what, more, message] of refused) {
    it(`refuses ${what}`, () => assert.throws(() => variables(more), message))
  }

  it('does nothing by halves: cut off anywhere, the script changes nothing', () => {
    const prepare = readFileSync(new URL('../../infra/host/prepare.sh', import.meta.url), 'utf8')
    const shim = readFileSync(new URL('../../infra/host/kpssh-shim', import.meta.url), 'utf8')
    const script = preparationScript(whole, { shim, prepare })
    const end = script.lastIndexOf('prepare </dev/null')
    assert.equal(script.slice(end), 'prepare </dev/null\n')
    for (let part = 0; part < 1; part += 0.05) {
      // Every command that could change anything is a function here, and none is ever called.
      const trapped = `mkdir() { echo touched; }; mv() { echo touched; }; useradd() { echo touched; }\n`
      const { stdout } = spawnSync('sh', ['-s'], { input: trapped + script.slice(0, Math.floor(end * part)) })
      assert.equal(stdout.toString(), '')
    }
  })

  it(
    'is shell that any sh reads',
    { skip: spawnSync('shellcheck', ['--version']).status === 0 ? false : 'needs shellcheck' },
    () => {
      const file = new URL('../../infra/host/prepare.sh', import.meta.url).pathname
      const { stdout, status } = spawnSync('shellcheck', ['-s', 'sh', '-e', 'SC2154', file])
      assert.equal(status, 0, stdout.toString())
    },
  )
})
