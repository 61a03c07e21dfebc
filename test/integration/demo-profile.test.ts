import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { SSHJoinProfile } from '../../lib/api/ssh-join-profile.ts'
import { buildProfile, profileManifest } from '../../infra/local/demo-hosts/build-profile.ts'
import { recordOf, textOf, valueAt } from '../../infra/local/kube-api/json.ts'
import { profileDirectory } from './demo-hosts/demo-world.ts'

const phases = ['install', 'join', 'leave', 'uninstall']

describe('the demo profile', () => {
  it('is its files, byte for byte, as an object and as a manifest', async () => {
    const profile = await buildProfile(profileDirectory)
    const manifest = profileManifest(profile)
    const scripts = recordOf(valueAt(profile, ['spec', 'scripts']))
    assert.deepEqual(Object.keys(scripts), phases)
    for (const phase of phases) {
      assert.equal(scripts[phase], await readFile(`${profileDirectory}/${phase}.sh`, 'utf8'))
      assert.match(manifest, new RegExp(`^    ${phase}: \\|$`, 'm'))
    }
    assert.deepEqual(parse(manifest), profile)
  })

  it('is a profile by our own rules, free of templates, each script failing fast by itself', async () => {
    const profile = await buildProfile(profileDirectory)
    const stored = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    SSHJoinProfile.parse({ ...profile, metadata: { ...recordOf(profile['metadata']), ...stored } })
    for (const script of Object.values(recordOf(valueAt(profile, ['spec', 'scripts']))).map(textOf)) {
      assert.match(script, /^#!\/usr\/bin\/env bash\n(#.*\n)+set -euo pipefail\n/)
      assert.doesNotMatch(script, /\{\{|set -x/)
      assert.doesNotMatch(
        script.replaceAll(/#.*/g, '').replace('#!/usr/bin/env', ''),
        /(?<![\w}$"])\/(etc|var|run|usr|opt)\//,
      )
    }
  })

  it('leaves with nothing but the addresses', async () => {
    const leave = await readFile(`${profileDirectory}/leave.sh`, 'utf8')
    assert.doesNotMatch(leave, /KPSSH_(?!ROOT)/)
  })
})

describe('buildProfile', () => {
  it('names the script that is missing, and needs no uninstall', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'profile-'))
    await writeFile(
      `${directory}/profile.yaml`,
      'apiVersion: a\nkind: b\nmetadata: {name: c}\nspec: {version: "1"}\n',
    )
    await writeFile(`${directory}/install.sh`, 'true\n')
    await writeFile(`${directory}/join.sh`, 'true\n')
    await assert.rejects(buildProfile(directory), /leave\.sh is missing/)
    await writeFile(`${directory}/leave.sh`, 'printf "a\\tb  \\n"\n\n\n')
    const profile = await buildProfile(directory)
    assert.deepEqual(parse(profileManifest(profile)), profile)
    assert.equal(valueAt(profile, ['spec', 'scripts', 'uninstall']), undefined)
    await rm(directory, { recursive: true })
  })
})
