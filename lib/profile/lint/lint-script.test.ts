import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ScriptPhase } from '../script-phase.ts'
import { lintScript } from './lint-script.ts'
import { makeLintProfile } from './make-lint-profile.ts'

function found(lines: readonly string[], phase: ScriptPhase = 'leave'): readonly string[] {
  const script = ['set -euo pipefail', 'systemctl disable --now kubelet', ...lines, ''].join('\n')
  const profile = makeLintProfile({
    agentUnits: ['kubelet'],
    parameters: undefined,
    scripts: { [phase]: script },
  })
  const subject = profile.scripts[phase]
  assert.ok(subject)
  return lintScript(subject, profile).map(({ line, severity, reason }) => `${line} ${severity} ${reason}`)
}

const reason = 'the board has nobody else on it'

describe('lintScript', () => {
  it('tells rule, line, why and what to write instead', () => {
    const scripts = { leave: 'set -euo pipefail\nsystemctl stop kubelet\n' }
    const profile = makeLintProfile({ agentUnits: ['kubelet'], parameters: undefined, scripts })
    const [problem] = profile.scripts.leave === undefined ? [] : lintScript(profile.scripts.leave, profile)
    assert.deepEqual(problem, {
      severity: 'error',
      phase: 'leave',
      line: 2,
      reason: 'LeaveKeepsUnit',
      message: 'leave stops kubelet but does not disable it',
      advice: {
        explanation:
          'A unit that is stopped but enabled comes back with the next boot: the host joins again by itself, with warm credentials, and is paid for. The container runtime would bring back what it ran.',
        fix: 'In leave, `systemctl disable --now` every agent unit and its runtime; join enables them again.',
      },
    })
  })
  it('is milder with uninstall, which only a person runs, but not where a cluster would refuse it', () => {
    assert.deepEqual(found(['reboot'], 'uninstall'), ['3 warning Reboots'])
    assert.deepEqual(found(['#'.repeat(262_144)], 'uninstall'), ['0 error ScriptTooLarge'])
  })
  it('says of a script that is too large nothing else', () => {
    assert.deepEqual(found(['reboot', '#'.repeat(262_144)]), ['0 error ScriptTooLarge'])
  })
  it('names a line of a function once, however often it is called', () => {
    assert.deepEqual(found(['go() { reboot; }', 'go', 'go']), ['3 error Reboots'])
  })
})

describe('what a script is allowed', () => {
  it('is what stands on the line, or alone above it, with a reason', () => {
    assert.deepEqual(found([`reboot # kpssh-lint: allow Reboots -- ${reason}`]), [])
    assert.deepEqual(found([`# kpssh-lint: allow Reboots -- ${reason}`, '', '# and more', 'reboot']), [])
    assert.deepEqual(found([`  #kpssh-lint: allow Reboots --- ${reason}`, '  reboot']), [])
  })
  it('is nothing below that line', () => {
    assert.deepEqual(found([`# kpssh-lint: allow Reboots -- ${reason}`, 'reboot', 'reboot']), [
      '5 error Reboots',
    ])
  })
  it('covers a command to its last line, with its heredocs', () => {
    const lines = ['curl \\', '  -d "$KPSSH_SECRET_A" \\', '  -d @- <<EOF', 'x', 'EOF']
    assert.deepEqual(found(lines, 'join'), ['4 error SecretInArguments'])
    assert.deepEqual(found([`# kpssh-lint: allow SecretInArguments -- ${reason}`, ...lines], 'join'), [])
  })
  it('may be several rules for one line', () => {
    assert.deepEqual(
      found([
        `# kpssh-lint: allow Reboots -- ${reason}`,
        `# kpssh-lint: allow Appends -- ${reason}`,
        'echo a >>/etc/x; reboot',
      ]),
      [],
    )
  })
  it('is nothing without a reason, and that is said', () => {
    for (const comment of ['# kpssh-lint: allow Reboots', '# kpssh-lint: allow Reboots --  ']) {
      assert.deepEqual(found([comment, 'reboot']), ['3 warning AllowWithoutReason', '4 error Reboots'])
    }
  })
  it('is said to allow nothing where there is nothing to allow', () => {
    assert.deepEqual(found([`# kpssh-lint: allow Reboots -- ${reason}`, 'true']), ['3 warning AllowUnused'])
  })
  it('is said not to be understood', () => {
    assert.deepEqual(found([`# kpssh-lint: allow Rebots -- ${reason}`, 'reboot']), [
      '3 warning AllowUnknown',
      '4 error Reboots',
    ])
    assert.deepEqual(found(['# kpssh-lint: disable=Reboots', 'reboot']), [
      '3 warning AllowUnknown',
      '4 error Reboots',
    ])
  })
  it('is a comment, not text that looks like one', () => {
    assert.deepEqual(found([`echo "# kpssh-lint: allow Reboots -- ${reason}"; reboot`]), ['3 error Reboots'])
    assert.deepEqual(found(['cat >/tmp/x <<EOF', '# kpssh-lint: allow Reboots', 'EOF']), [])
  })
})
