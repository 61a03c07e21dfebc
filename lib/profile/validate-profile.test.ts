import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Profile } from './profile.ts'
import { requireValidProfile, validateProfile } from './validate-profile.ts'

function aProfile(spec: Partial<Profile['spec']> = {}): Profile {
  return {
    metadata: { name: 'test' },
    spec: { ...spec, scripts: { install: 'i', join: 'j', leave: 'l', ...spec.scripts } },
  }
}

function found(spec: Partial<Profile['spec']>): readonly string[] {
  return validateProfile(aProfile(spec)).map(
    ({ severity, phase, line, reason }) => `${severity} ${phase}:${line} ${reason}`,
  )
}

function leaveFinds(leave: string): readonly string[] {
  return found({ scripts: { leave } })
}

describe('validateProfile', () => {
  it('ref 61: finds nothing in a valid profile', () => {
    assert.deepEqual(found({ scripts: { join: '{{ .NodeName }}', leave: '{{ .HostAddress }}' } }), [])
  })
  it('misses install, join and leave, but no uninstall', () => {
    assert.deepEqual(found({ scripts: { install: '', join: '', leave: '' } }), [
      'error install:0 ScriptMissing',
      'error join:0 ScriptMissing',
      'error leave:0 ScriptMissing',
    ])
  })
  it('ref 62: refuses templates that do not parse, in every phase, and names the line', () => {
    const broken = 'a\n{{ .NodeName\n'
    assert.deepEqual(
      found({ scripts: { install: broken, join: broken, leave: broken, uninstall: broken } }),
      [
        'error install:3 TemplateUnparsable',
        'error join:3 TemplateUnparsable',
        'error leave:3 TemplateUnparsable',
        'error uninstall:3 TemplateUnparsable',
      ],
    )
  })
  it('says in a few words what is wrong, whatever it is made of', () => {
    const name = 'a'.repeat(200_000)
    const scripts = [
      `{{ ${name} }}`,
      `{{ .${name} }}`,
      `{{ $${name} }}`,
      `{{ template "${name}" }}`,
      `{{ "\\q${name}" }}`,
    ]
    for (const leave of scripts) {
      const problems = validateProfile(aProfile({ scripts: { leave } }))
      assert.notDeepEqual(problems, [])
      for (const { message } of problems) assert.ok(message.length < 500, message.slice(0, 80))
    }
  })
  it('limits a script to 256 KiB of UTF-8', () => {
    assert.deepEqual(found({ scripts: { join: 'x'.repeat(262_144) } }), [])
    assert.deepEqual(found({ scripts: { join: 'x'.repeat(262_145) } }), ['error join:0 ScriptTooLarge'])
    assert.deepEqual(found({ scripts: { join: 'é'.repeat(131_073) } }), ['error join:0 ScriptTooLarge'])
  })
  it('refuses timeouts that are none and those that overflow', () => {
    assert.deepEqual(found({ timeouts: { install: '1.5h', join: '99999999999999h', leave: '10m' } }), [
      'error install:0 TimeoutInvalid',
      'error join:0 TimeoutOverflow',
    ])
  })
  it('SSH-23: reports carriage returns and byte order marks, which raw mode removes', () => {
    assert.deepEqual(found({ scripts: { join: '\ufeffa\nb\r\nc' } }), [
      'warning join:1 ScriptHasBOM',
      'warning join:2 ScriptHasCR',
    ])
    assert.deepEqual(found({ scripts: { join: 'a\rb' } }), ['warning join:1 ScriptHasCR'])
    assert.deepEqual(found({ scripts: { join: 'no final newline' } }), [])
  })
  it('names everything that is wrong when a valid profile is required', () => {
    assert.doesNotThrow(() => requireValidProfile(aProfile({ scripts: { join: 'a\r\n' } })))
    assert.throws(() => requireValidProfile(aProfile({ scripts: { join: '', leave: 'x\n{{ .Vars.a }}' } })), {
      reason: 'ProfileInvalid',
      message:
        'Cannot use profile "test": join: scripts.join is empty, every profile must have one; ' +
        'leave line 2: .Vars.a is not there when a host leaves, only .HostAddress and .NodeAddress are',
    })
  })
})

describe('what leave may refer to', () => {
  for (const leave of [
    'echo {{ .HostAddress }} {{ .NodeAddress }}',
    '{{ if .NodeAddress }}{{ printf "%q" .NodeAddress | len }}{{ end }}',
    '{{ with .HostAddress }}{{ . }}{{ end }}',
    '{{ with . }}{{ .HostAddress }}{{ else }}{{ $.NodeAddress }}{{ end }}',
    '{{ $a := .HostAddress }}{{ $a }}{{ $a = .NodeAddress }}{{ $all := $ }}{{ $all.HostAddress }}',
    '{{ range $c := print "x" | len }}{{ $c }}{{ end }}',
    '{{ define "h" }}{{ .HostAddress }}{{ end }}{{ template "h" . }}',
    '{{ block "b" .HostAddress }}{{ . }}{{ end }}',
    '{{ (.).HostAddress }}{{ $.HostAddress }}',
    '{{ range 3 }}{{ . }}{{ $.HostAddress }}{{ end }}',
  ]) {
    it(`allows ${leave}`, () => {
      const errors = leaveFinds(leave).filter((text) => text.includes('LeaveNeedsContext'))
      assert.deepEqual(errors, [])
    })
  }
  for (const leave of [
    '{{ .Vars.k8sMinor }}',
    '{{ .NodeName }}',
    '{{ .BootstrapToken }}',
    '{{ if false }}{{ .Secrets.x }}{{ end }}',
    '{{ if .HostAddress }}{{ else }}{{ .ClusterEndpoint }}{{ end }}',
    '{{ with .Vars }}{{ .x }}{{ end }}',
    '{{ range $k, $v := .Vars }}{{ end }}',
    '{{ index .Vars "x" }}',
    '{{ $v := .Vars }}',
    '{{ $c := . }}{{ $c.NodeName }}',
    '{{ $.Vars }}',
    '{{ (index . "x").Vars }}',
    '{{ . }}',
    '{{ $ | print }}',
    '{{ print "a" . }}',
    '{{ if . }}{{ end }}',
    '{{ (.).NodeName }}',
    '{{ with . }}{{ .NodeName }}{{ end }}',
    '{{ with .HostAddress }}{{ $.NodeName }}{{ end }}',
    '{{ define "h" }}{{ .NodeName }}{{ end }}{{ template "h" . }}',
    '{{ define "never called" }}{{ .Vars.x }}{{ end }}',
    '{{ block "b" . }}{{ .Vars.x }}{{ end }}',
    '{{ define "r" }}{{ template "r" . }}{{ .Vars.x }}{{ end }}{{ if false }}{{ template "r" . }}{{ end }}',
    '{{ .HostAddress.Foo }}',
    '{{ .Nowhere }}',
  ]) {
    it(`ref 63: refuses ${leave}`, () => {
      assert.deepEqual([...new Set(leaveFinds(leave))], ['error leave:1 LeaveNeedsContext'])
    })
  }
  it('follows calls however far they go, without an end to its patience', () => {
    const chain = Array.from(
      { length: 4_000 },
      (_, i) => `{{ define "t${i}" }}{{ template "t${i + 1}" . }}{{ end }}`,
    )
    const leave = `${chain.join('')}{{ define "t4000" }}{{ .Vars.x }}{{ end }}{{ template "t0" . }}`
    assert.deepEqual(leaveFinds(leave), ['error leave:1 LeaveNeedsContext'])
    const variables = `${'{{ $x := .HostAddress }}'.repeat(8_000)}{{ $x }}`
    assert.deepEqual(leaveFinds(variables), [])
  })
  it('names every line that needs more', () => {
    assert.deepEqual(
      leaveFinds('a\n{{ .Vars.a }}\nb\n{{ if false }}\n{{ .Secrets.b }}{{ .NodeName }}{{ end }}'),
      [
        'error leave:2 LeaveNeedsContext',
        'error leave:5 LeaveNeedsContext',
        'error leave:5 LeaveNeedsContext',
      ],
    )
  })
  it('refuses a leave that does not render', () => {
    assert.deepEqual(leaveFinds('a\n{{ template "nowhere" }}'), ['error leave:2 TemplateFailed'])
  })
  it('reports variables that do not exist in leave, but not in comments and not in other phases', () => {
    const script =
      '# $KPSSH_VAR_a\necho "$KPSSH_VAR_a"\necho ${KPSSH_SECRET_B:-}\necho $KPSSH_HOST_ADDRESS KPSSH_VAR_a\n'
    assert.deepEqual(found({ scripts: { join: script, leave: script } }), [
      'warning leave:2 LeaveNeedsEnvironment',
      'warning leave:3 LeaveUsesEnvironment',
    ])
  })
})
