// Signing and checking profiles as people do, with the real ssh-keygen and a real agent.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parse } from 'yaml'
import { z } from 'zod'
import { commands } from '../../lib/cli/commands.ts'
import { runCommandLine } from '../../lib/cli/run-command-line.ts'
import { fakeConsole } from '../support/fakes/console.ts'
import { makeKeygenFolder } from '../support/ssh-keygen.ts'

const keys = makeKeygenFolder()
after(() => keys.remove())

async function kpssh(words: readonly string[]) {
  const console = fakeConsole()
  const code = await runCommandLine(commands, words, console)
  return { code, stdout: console.stdout, stderr: console.stderr }
}

const scripts = {
  install: 'set -euo pipefail\necho "$KPSSH_VAR_a" >/dev/null\n',
  join: 'set -euo pipefail\nsystemctl enable --now kubelet\necho "$KPSSH_SECRET_CODE" >/dev/null\n',
  leave: 'set -euo pipefail\nsystemctl disable --now kubelet\n',
}

const Built = z.object({
  spec: z.object({
    scripts: z.record(z.string(), z.string()),
    signatures: z.record(z.string(), z.string()).optional(),
    manifests: z.record(z.string(), z.object({ manifest: z.string(), signature: z.string() })).optional(),
  }),
})

/** A profile in a folder of its own. */
function makeProfile(name: string, { version = '3', pattern = '[0-9]+' } = {}): string {
  const path = join(keys.path, name)
  execFileSync('mkdir', [path])
  describeProfile(path, { version, pattern })
  for (const [phase, script] of Object.entries(scripts)) writeFileSync(join(path, `${phase}.sh`), script)
  return path
}

function describeProfile(path: string, { version = '3', pattern = '[0-9]+' } = {}): void {
  writeFileSync(
    join(path, 'profile.yaml'),
    [
      'apiVersion: karpenter.dklesev.github.io/v1beta1',
      'kind: SSHJoinProfile',
      'metadata: { name: try }',
      'spec:',
      `  version: "${version}"`,
      '  parameters:',
      `    - { name: a, default: "1", pattern: '${pattern}' }`,
      '',
    ].join('\n'),
  )
}

async function built(path: string): Promise<z.infer<typeof Built>['spec']> {
  const { code, stdout, stderr } = await kpssh(['profile', 'build', path])
  assert.equal(code, 0, stderr)
  return Built.parse(parse(stdout)).spec
}

const signer = keys.makeKey('signer', ['-t', 'ed25519'])

describe('kpssh profile sign', () => {
  it('makes what a host accepts and kpssh profile verify confirms, of the folder and of what is built', async () => {
    const path = makeProfile('plain')
    const signed = await kpssh([
      'profile',
      'sign',
      path,
      '--key',
      signer.file,
      '--serial',
      '7',
      '--not-after',
      '2w',
    ])
    assert.equal(signed.code, 0, signed.stderr)
    assert.match(
      signed.stdout,
      /signatures\.yaml: install, join, leave, signed by ssh-ed25519 SHA256:\S{43}, serial 7, until /,
    )
    const spec = await built(path)
    assert.deepEqual(spec.scripts, scripts)
    assert.equal(spec.signatures, undefined)
    assert.deepEqual(Object.keys(spec.manifests ?? {}), ['install', 'join', 'leave'])
    for (const { manifest, signature } of Object.values(spec.manifests ?? {})) {
      const said = keys.verify({
        allowedSigners: `kpssh namespaces="kpssh-manifest" ${signer.line}\n`,
        armor: signature,
        message: manifest,
        namespace: 'kpssh-manifest',
      })
      assert.ok(said.isAccepted, said.said)
    }
    assert.match(
      spec.manifests?.['join']?.manifest ?? '',
      /^serial: 7$[^]*^param: KPSSH_SECRET_CODE \[ -~\]\*$[^]*^param: KPSSH_VAR_a \[0-9\]\+$/m,
    )
    assert.doesNotMatch(spec.manifests?.['leave']?.manifest ?? '', /SECRET|VAR/)

    const file = join(keys.path, 'plain.yaml')
    assert.equal((await kpssh(['profile', 'build', path, '--out', file])).code, 0)
    for (const place of [path, file]) {
      for (const trusted of [signer.line, `${signer.file}.pub`]) {
        const { code, stdout, stderr } = await kpssh(['profile', 'verify', place, '--signer', trusted])
        assert.equal(code, 0, stderr)
        assert.match(stdout, /^PHASE +SIGNED +RESULT .*\ninstall +manifest +right .* 7 +ssh-ed25519 SHA256:/)
        assert.equal(stderr, 'Everything is signed\n')
      }
    }
  })

  it('leaves what build refuses as soon as a script, a parameter or the version is changed', async () => {
    const path = makeProfile('stale')
    const sign = () => kpssh(['profile', 'sign', path, '--key', signer.file])
    assert.equal((await sign()).code, 0)
    const changes: readonly (readonly [() => void, RegExp])[] = [
      [
        () => appendFileSync(join(path, 'join.sh'), '\n'),
        /join is not signed as it is now, scripts\.join was changed/,
      ],
      [() => describeProfile(path, { version: '4' }), /of version "3", the profile has version "4"/],
      [
        () => describeProfile(path, { version: '4', pattern: '[0-8]+' }),
        /parameters or secrets of the profile are not those/,
      ],
      [
        () => writeFileSync(join(path, 'uninstall.sh'), scripts.leave),
        /uninstall is not signed, and others are/,
      ],
      [() => rmSync(join(path, 'uninstall.sh')), /uninstall is signed, and there is no such script/],
    ]
    for (const [change, why] of changes) {
      change()
      const refused = await kpssh(['profile', 'build', path])
      assert.equal(refused.code, 65)
      assert.match(refused.stderr, why)
      const lint = await kpssh(['profile', 'lint', path])
      assert.match(lint.stdout, /SignatureStale\)\n {2}Sign the profile again with kpssh profile sign/)
      assert.equal((await sign()).code, 0)
      assert.equal((await kpssh(['profile', 'build', path])).code, 0)
    }
  })

  it('signs with an agent that holds the other half of a public key', async () => {
    const path = makeProfile('agent')
    const held = keys.makeKey('held', ['-t', 'ecdsa', '-b', '384'])
    const said = execFileSync('ssh-agent', ['-s'], { encoding: 'utf8' })
    const socket = /SSH_AUTH_SOCK=([^;]+);/.exec(said)?.[1] ?? ''
    const pid = Number(/SSH_AGENT_PID=(\d+);/.exec(said)?.[1])
    process.env['SSH_AUTH_SOCK'] = socket
    try {
      execFileSync('ssh-add', ['-q', held.file])
      renameSync(held.file, `${held.file}.away`)
      assert.equal((await kpssh(['profile', 'sign', path, '--key', `${held.file}.pub`])).code, 0)
      assert.equal((await kpssh(['profile', 'verify', path, '--signer', held.line])).code, 0)
    } finally {
      delete process.env['SSH_AUTH_SOCK']
      process.kill(pid)
    }
    const without = await kpssh(['profile', 'sign', path, '--key', `${held.file}.pub`])
    assert.equal(without.code, 65)
    assert.match(without.stderr, /ssh-keygen ended with code 255, .* a public key needs an agent/)
  })

  it('signs with a certificate, for hosts that trust its authority', async () => {
    const path = makeProfile('certified')
    const authority = keys.makeKey('authority', ['-t', 'ed25519'])
    const certified = keys.makeKey('certified-key', ['-t', 'ed25519'])
    keys.run(['-q', '-s', authority.file, '-I', 'alice', '-n', 'kpssh', `${certified.file}.pub`])
    const signed = await kpssh(['profile', 'sign', path, '--key', `${certified.file}-cert.pub`])
    assert.equal(signed.code, 0, signed.stderr)
    assert.match(signed.stdout, /certificate "alice" of authority SHA256:/)
    const lines = keys.write('lines', `# who signs\nkpssh cert-authority ${authority.line}\n`)
    assert.equal((await kpssh(['profile', 'verify', path, '--signer', lines])).code, 0)
    const plain = await kpssh(['profile', 'verify', path, '--signer', certified.line])
    assert.equal(plain.code, 77)
    assert.match(plain.stderr, /CertificateNotTrusted|not in the trusted set/)
  })

  it('signs the scripts by themselves too where that is wanted', async () => {
    const path = makeProfile('v1')
    assert.equal((await kpssh(['profile', 'sign', path, '--key', signer.file, '--v1'])).code, 0)
    const { signatures = {} } = await built(path)
    for (const [phase, message] of Object.entries(scripts)) {
      const armor = signatures[phase] ?? ''
      const allowedSigners = `kpssh namespaces="kpssh" ${signer.line}\n`
      assert.ok(keys.verify({ allowedSigners, armor, message, namespace: 'kpssh' }).isAccepted)
    }
    const verified = await kpssh(['profile', 'verify', path, '--signer', signer.line])
    assert.match(verified.stdout, /^join +manifest +right .*\njoin +script +right/m)
    appendFileSync(join(path, 'leave.sh'), '\n')
    const { code, stdout } = await kpssh(['profile', 'verify', path, '--signer', signer.line])
    assert.equal(code, 77)
    assert.match(stdout, /^leave +manifest +ManifestDigestMismatch\nleave +script +SignatureWrong$/m)
  })

  it('signs nothing before all of it can be signed', async () => {
    const path = makeProfile('refused')
    const refused = async (...words: readonly string[]) => {
      const { code, stderr } = await kpssh(['profile', 'sign', path, '--key', signer.file, ...words])
      assert.equal(existsSync(join(path, 'signatures.yaml')), false)
      return `${code} ${stderr}`
    }
    assert.match(await refused('--not-after', 'soon'), /^64 kpssh: Cannot use --not-after "soon"/)
    assert.match(await refused('--serial', '0'), /^64 kpssh: Cannot use --serial "0"/)
    const missing = await kpssh(['profile', 'sign', path, '--key', join(keys.path, 'nobody')])
    assert.match(
      `${missing.code} ${missing.stderr}`,
      /^65 kpssh: Cannot sign with ".*nobody": there is no such file/,
    )
    for (const [file, said] of [
      ['leave.sh', 'it is no key'],
      ['.', 'it cannot be read'],
    ] as const) {
      const { code, stderr } = await kpssh(['profile', 'sign', path, '--key', join(path, file)])
      assert.match(`${code} ${stderr}`, new RegExp(`^65 kpssh: Cannot sign with "\\S+": ${said}`))
    }
    writeFileSync(join(path, 'leave.sh'), '\ufeffset -euo pipefail\n')
    assert.match(await refused(), /^65 kpssh: Cannot sign leave\.sh: line 1 has a byte order mark/)
    writeFileSync(join(path, 'leave.sh'), 'set -euo pipefail\ntrue\r\n')
    assert.match(await refused(), /^65 kpssh: Cannot sign leave\.sh: line 2 has a carriage return/)
    writeFileSync(join(path, 'leave.sh'), scripts.leave)
    appendFileSync(join(path, 'leave.sh'), 'echo {{ .HostAddress }}\n')
    assert.match(await refused(), /^65 kpssh: Cannot sign leave\.sh: line 3 has "\{\{"/)
    writeFileSync(join(path, 'leave.sh'), scripts.leave)
    describeProfile(path, { version: '_3' })
    assert.match(await refused(), /^65 kpssh: Cannot write the manifest of install .*version must match/)
    describeProfile(path, { pattern: '(0?1?)+' })
    assert.match(
      await refused(),
      /^65 kpssh: Cannot sign install\.sh: spec\.parameters\[0\]\.pattern of "a" cannot be signed/,
    )
  })

  it('refuses a serial below the last one, which hosts would refuse', async () => {
    const path = makeProfile('serial')
    const sign = (serial: string) =>
      kpssh(['profile', 'sign', path, '--key', signer.file, '--serial', serial])
    assert.equal((await sign('8')).code, 0)
    const lower = await sign('7')
    assert.equal(lower.code, 65)
    assert.match(
      lower.stderr,
      /the profile is signed with 8, hosts refuse a lower one: give a higher --serial, or remove signatures\.yaml/,
    )
    assert.equal((await sign('8')).code, 0)
  })
})

describe('kpssh profile verify', () => {
  it('says of a profile that nobody signed, that somebody else signed or whose time is over, why', async () => {
    const path = makeProfile('wrong')
    const stranger = keys.makeKey('stranger', ['-t', 'ed25519'])
    const verify = (...words: readonly string[]) =>
      kpssh(['profile', 'verify', path, '--signer', signer.line, ...words])
    const unsigned = await verify('--json')
    assert.equal(unsigned.code, 77)
    const rows = z
      .array(z.object({ phase: z.string(), result: z.string() }))
      .parse(JSON.parse(unsigned.stdout))
    assert.deepEqual(rows, [
      { phase: 'install', result: 'NotSigned' },
      { phase: 'join', result: 'NotSigned' },
      { phase: 'leave', result: 'NotSigned' },
    ])
    await kpssh(['profile', 'sign', path, '--key', stranger.file])
    const other = await verify()
    assert.equal(other.code, 77)
    assert.match(other.stdout, /^join +manifest +SignerNotTrusted/m)
    assert.match(
      other.stderr,
      /manifests\.join: the signer, ssh-ed25519 SHA256:\S+, is not in the trusted set \(SHA256:/,
    )
    const past = ['--not-before', '2020-01-01', '--not-after', '1w']
    await kpssh(['profile', 'sign', path, '--key', signer.file, ...past])
    const over = await verify()
    assert.equal(over.code, 77)
    assert.match(
      over.stdout,
      /^install +manifest +ManifestExpired\njoin +manifest +ManifestExpired\nleave +manifest +right/m,
    )
  })
  it('warns of scripts that are signed without a manifest', async () => {
    const path = makeProfile('alone')
    await kpssh(['profile', 'sign', path, '--key', signer.file, '--v1'])
    const file = join(path, 'signatures.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^manifests:[^]*/m, ''))
    const { code, stderr } = await kpssh(['profile', 'verify', path, '--signer', signer.line])
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^Everything is signed, but install, join, leave without a manifest: /)
  })
  it('refuses a file of signatures that is none, and signers that are none', async () => {
    const path = makeProfile('malformed')
    const bad = await kpssh(['profile', 'verify', path, '--signer', 'not a key'])
    assert.equal(bad.code, 65)
    assert.match(bad.stderr, /^kpssh: Cannot use --signer: signer 1 cannot be read, it holds no key/)
    const secret = await kpssh(['profile', 'verify', path, '--signer', signer.file])
    assert.match(secret.stderr, /it is a private key, give its public half, ".*signer\.pub" as a rule/)
    const nobody = await kpssh(['profile', 'verify', path, '--signer', 'nobody.pub'])
    assert.match(nobody.stderr, /^kpssh: Cannot use --signer "nobody\.pub": there is no such file/)
    writeFileSync(join(path, 'signatures.yaml'), 'manifests: { join: 1 }\n')
    const { code, stderr } = await kpssh(['profile', 'verify', path, '--signer', signer.line])
    assert.equal(code, 65)
    assert.match(
      stderr,
      /signatures\.yaml": it is not as "kpssh profile sign" writes it, sign the profile again/,
    )
  })
})
