import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { SSHJoinProfile } from '../../lib/api/ssh-join-profile.ts'
import { buildProfile } from '../../lib/cli/build-profile.ts'
import { recordOf, textOf, valueAt } from '../../infra/local/kube-api/json.ts'
import { profileDirectory } from './demo-hosts/demo-world.ts'

const phases = ['install', 'join', 'leave', 'uninstall']

describe('the demo profile', () => {
  it('is its files, byte for byte, as an object and as a manifest', async () => {
    const { manifest, text } = await buildProfile(profileDirectory)
    const scripts = recordOf(valueAt(manifest, ['spec', 'scripts']))
    assert.deepEqual(Object.keys(scripts), phases)
    for (const phase of phases) {
      assert.equal(scripts[phase], await readFile(`${profileDirectory}/${phase}.sh`, 'utf8'))
      assert.match(text, new RegExp(`^    ${phase}: \\|$`, 'm'))
    }
    assert.deepEqual(parse(text), manifest)
  })

  it('is a profile by our own rules, free of templates, each script failing fast by itself', async () => {
    const { manifest } = await buildProfile(profileDirectory)
    const stored = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
    SSHJoinProfile.parse({ ...manifest, metadata: { ...recordOf(manifest['metadata']), ...stored } })
    for (const script of Object.values(recordOf(valueAt(manifest, ['spec', 'scripts']))).map(textOf)) {
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
