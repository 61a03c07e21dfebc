import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lintProfile } from './lint-profile.ts'

const strict = 'set -euo pipefail\n'

function found(join: string): readonly string[] {
  const scripts = { install: strict, join, leave: strict }
  return lintProfile({ metadata: { name: 'test' }, spec: { scripts } }).map(
    ({ line, reason }) => `${line} ${reason}`,
  )
}

describe('lintProfile', () => {
  it('asks scripts without a template to fail fast by themselves', () => {
    assert.deepEqual(found('echo a\n'), ['1 NoFailFast'])
    assert.deepEqual(found('set -e\nset -u\nset -o pipefail\n'), [])
    assert.deepEqual(found('set -o errexit -o nounset -o pipefail\n'), [])
    assert.deepEqual(found('# set -euo pipefail\n'), ['1 NoFailFast'])
    assert.deepEqual(found('echo {{ .NodeName }}\n'), [])
  })
  it('SSH-36: finds secrets that tracing would print', () => {
    assert.deepEqual(
      found(
        `${strict}echo $KPSSH_BOOTSTRAP_TOKEN\nset -x\n: "\${KPSSH_SECRET_ACTIVATIONID:?}"\nset +x\necho $KPSSH_SECRET_A\n`,
      ),
      ['4 TracesSecret'],
    )
  })
  it('lists what validation finds in order of phase and line', () => {
    assert.deepEqual(found('a\r\nb {{ .Vars.a }'), ['1 ScriptHasCR', '2 TemplateUnparsable'])
  })
})
