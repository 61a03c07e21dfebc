import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { SSHJoinProfile } from '../../lib/api/ssh-join-profile.ts'
import { buildProfile } from '../../lib/cli/build-profile.ts'
import { scriptPhases } from '../../lib/profile/script-phase.ts'
import { validateProfile } from '../../lib/profile/validate-profile.ts'
import { recordOf } from '../../infra/local/kube-api/json.ts'

const root = fileURLToPath(new URL('../../profiles', import.meta.url))
const profiles = ['demo', 'k3s', 'kubeadm', 'nodeadm-ssm', 'sbc', 'tls-bootstrap']
const scripts = profiles.flatMap((profile) => scriptPhases.map((phase) => `${profile}/${phase}.sh`))
const programs = [...scripts, 'sbc/prep-host.sh']

function read(file: string): string {
  return readFileSync(`${root}/${file}`, 'utf8')
}

async function profileIn(name: string): Promise<SSHJoinProfile> {
  const { manifest } = await buildProfile(`${root}/${name}`)
  const stored = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
  return SSHJoinProfile.parse({ ...manifest, metadata: { ...recordOf(manifest['metadata']), ...stored } })
}

/** The functions of a script by name, with their bodies. */
function functionsOf(script: string): ReadonlyMap<string, string> {
  const found = script.matchAll(/^(\w+)\(\) \{.*?^\}$/gms)
  return new Map([...found].map(([text, name = '']) => [name, text]))
}

it('ref 65: the profiles tested here are those that ship', () => {
  const directories = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(directories.map(({ name }) => name).sort(), profiles)
})

for (const name of profiles) {
  describe(`the profile ${name}`, () => {
    it('ref 65: validates without a word', async () => {
      assert.deepEqual(validateProfile(await profileIn(name)), [])
    })

    it('carries its name and a meaning for every parameter', async () => {
      const { metadata, spec } = await profileIn(name)
      assert.equal(metadata.name, name)
      for (const parameter of spec.parameters ?? []) assert.ok(parameter.meaning, parameter.name)
    })

    it('declares the vars that its scripts read, and no others', async () => {
      const { spec } = await profileIn(name)
      const text = scriptPhases.map((phase) => read(`${name}/${phase}.sh`)).join('\n')
      const used = new Set([...text.matchAll(/KPSSH_VAR_(\w+)/g)].map(([, used = '']) => used))
      assert.deepEqual([...used].sort(), (spec.parameters ?? []).map((parameter) => parameter.name).sort())
    })

    it('defaults to the same in the scripts and in the declaration', async () => {
      const { spec } = await profileIn(name)
      const text = scriptPhases.map((phase) => read(`${name}/${phase}.sh`)).join('\n')
      for (const parameter of spec.parameters ?? []) {
        const defaults = [...text.matchAll(new RegExp(`KPSSH_VAR_${parameter.name}:-([^}]*)\\}`, 'g'))]
        for (const [, inScript = ''] of defaults)
          assert.ok(['', parameter.default ?? ''].includes(inScript), `${parameter.name}: ${inScript}`)
      }
    })

    it('is a manifest that holds its scripts byte for byte', async () => {
      const { manifest, text } = await buildProfile(`${root}/${name}`)
      assert.deepEqual(parse(text), manifest)
      for (const phase of scriptPhases)
        assert.equal((await profileIn(name)).spec.scripts[phase], read(`${name}/${phase}.sh`))
    })

    it('leaves with nothing but what it finds on the host', () => {
      assert.doesNotMatch(
        read(`${name}/leave.sh`),
        /KPSSH_(VAR|SECRET|BOOTSTRAP|CLUSTER|NODE_NAME|NODE_LABELS|TAINTS|PROVIDER)/,
      )
    })

    it('JOIN-11: leave disables what join enables', async () => {
      const { spec } = await profileIn(name)
      for (const unit of spec.agentUnits) {
        assert.match(read(`${name}/leave.sh`), new RegExp(`systemctl disable --now ${unit}\\b`))
        assert.match(
          read(`${name}/join.sh`),
          new RegExp(`systemctl enable (--now )?(--no-block )?${unit}\\b`),
        )
      }
    })

    it('says in a README what each phase changes', () => {
      for (const phase of scriptPhases) assert.match(read(`${name}/README.md`), new RegExp(`\`${phase}\``))
    })
  })
}

describe('every script that ships', () => {
  for (const file of scripts) {
    it(`${file} runs as it is in both modes: fails fast by itself, holds no template`, () => {
      assert.match(read(file), /^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/)
      assert.doesNotMatch(read(file), /\{\{/)
    })
  }

  for (const file of programs) {
    it(`SSH-23: ${file} is plain text: LF, a last line end, no byte order mark, at most 256 KiB`, () => {
      const bytes = readFileSync(`${root}/${file}`)
      assert.doesNotMatch(bytes.toString('latin1'), /\r|^\xef\xbb\xbf|\t/)
      assert.ok(bytes.toString().endsWith('\n') && !bytes.toString().endsWith('\n\n'))
      assert.ok(bytes.length <= 262_144)
    })

    it(`SSH-36: ${file} does not trace, and hands no secret to a command`, () => {
      const lines = read(file).replaceAll(/^\s*#.*$/gm, '')
      assert.doesNotMatch(lines, /set -\w*x|xtrace/)
      assert.doesNotMatch(lines, /(echo|printf)[^|\n]*\$\{?KPSSH_(SECRET|BOOTSTRAP)\w*[^|\n]*\|/)
    })

    it(`${file} is read by bash without complaint`, () => {
      const { status, stderr } = spawnSync('bash', ['-n', `${root}/${file}`], { encoding: 'utf8' })
      assert.deepEqual([status, stderr], [0, ''])
    })
  }

  const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0
  it('is clean by shellcheck', { skip: hasShellcheck ? false : 'shellcheck is not on this machine' }, () => {
    const files = programs.map((file) => `${root}/${file}`)
    const { stdout } = spawnSync('shellcheck', ['--shell=bash', '--format=gcc', ...files], {
      encoding: 'utf8',
    })
    assert.equal(stdout, '')
  })

  // Scripts carry their helpers with them, since each is sent alone. What has one name is one thing, wherever it stands.
  it('has the same helper under the same name', () => {
    const own = new Set(
      'main check switch_off verify is_installed install_packages install_on_debian install_on_redhat'
        .concat(' check_kept_configuration forget_membership write_configuration kubelet_arguments start')
        .concat(' remove_files remove_data remove_packages remove_on_debian remove_on_redhat')
        .split(' '),
    )
    const bodies = new Map<string, string>()
    for (const file of scripts.filter((each) => !each.startsWith('demo/'))) {
      for (const [name, body] of functionsOf(read(file))) {
        if (own.has(name)) continue
        assert.equal(body, bodies.get(name) ?? body, `${name} in ${file}`)
        bodies.set(name, body)
      }
    }
    assert.ok(bodies.size > 40)
  })
})

it('sbc/cloud-init.yaml carries prep-host.sh byte for byte', () => {
  const text = read('sbc/cloud-init.yaml')
  assert.match(text, /^#cloud-config\n/)
  const [file] = (parse(text) as { write_files: { content: string }[] }).write_files
  assert.equal(file?.content, read('sbc/prep-host.sh'))
})
