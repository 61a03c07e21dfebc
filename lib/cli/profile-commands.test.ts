import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { commands } from './commands.ts'
import { runCommandLine } from './run-command-line.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kpssh-cli-'))
})
after(() => rm(folder, { recursive: true }))

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

async function kpssh(...words: string[]) {
  const console = fakeConsole()
  const code = await runCommandLine(commands, words, console)
  return {
    code,
    stdout: console.stdout.replaceAll(`${folder}/`, ''),
    stderr: console.stderr.replaceAll(`${folder}/`, ''),
  }
}

const goodJoin = 'set -euo pipefail\nsystemctl enable --now kubelet'
const goodLeave = 'set -euo pipefail\nsystemctl disable --now kubelet'

function profile(
  name: string,
  { join: joinScript = 'echo {{ .NodeName }}', leave = goodLeave } = {},
): string {
  const block = (text: string) => `|\n${text.replace(/^/gm, '      ')}`
  return [
    'apiVersion: karpenter.dklesev.github.io/v1beta1',
    'kind: SSHJoinProfile',
    `metadata: { name: ${name} }`,
    'spec:',
    '  version: "3"',
    '  scripts:',
    '    install: "set -euo pipefail\\n"',
    `    join: ${block(joinScript)}`,
    `    leave: ${block(leave)}`,
    '',
  ].join('\n')
}

describe('kpssh profile lint', () => {
  it('finds nothing in a good profile', async () => {
    assert.deepEqual(
      await kpssh('profile', 'lint', await file('good.yaml', profile('good', { join: goodJoin }))),
      {
        code: 0,
        stdout: '',
        stderr: '0 errors, 0 warnings\n',
      },
    )
  })
  it('names file, line, rule, why and what to do, for several files with several documents', async () => {
    const bad = profile('bad', { join: goodJoin, leave: 'set -euo pipefail\nsystemctl stop kubelet' })
    const many = await file(
      'many.yaml',
      `kind: ConfigMap\n---\n${profile('good', { join: goodJoin })}---\n${bad}`,
    )
    const windows = await file(
      'windows.yaml',
      profile('windows', { join: `${goodJoin}\nset -x\n: $KPSSH_SECRET_A` }),
    )
    assert.deepEqual(await kpssh('profile', 'lint', many, windows), {
      code: 65,
      stdout:
        'many.yaml:29: error: leave line 2: leave stops kubelet but does not disable it (LeaveKeepsUnit)\n' +
        '  A unit that is stopped but enabled comes back with the next boot: the host joins again by itself, with warm credentials, and is paid for. The container runtime would bring back what it ran.\n' +
        '  In leave, `systemctl disable --now` every agent unit and its runtime; join enables them again.\n' +
        'windows.yaml:12: error: join line 4: $KPSSH_SECRET_A is expanded while tracing is on (TracesSecret)\n' +
        '  Tracing prints commands after expansion, so that the value ends up in what the script prints. What is known of it is redacted there; what the script makes of it is not.\n' +
        '  Switch `set -x` on only after the last use, or off before: `{ set +x; } 2>/dev/null`.\n',
      stderr: '2 errors, 0 warnings\n',
    })
  })
  it('ends well if all it has are warnings', async () => {
    const { code, stdout } = await kpssh(
      'profile',
      'lint',
      await file('w.yaml', profile('w', { join: 'systemctl enable kubelet' })),
    )
    assert.equal(code, 0)
    assert.match(stdout, /^w\.yaml:9: warning: join line 1: the script does not end at a failing command/)
  })
  it('reports what the schema refuses, each thing once', async () => {
    const text =
      'kind: SSHJoinProfile\napiVersion: karpenter.dklesev.github.io/v1beta1\nmetadata:\n  name: x\nspec:\n  version: a b\n  agentUnits: []\n  timeouts: { join: 1.5h }\n  scripts:\n    install: ""\n    join: echo {{ .NodeName\n'
    const { code, stdout } = await kpssh('profile', 'lint', await file('schema.yaml', text))
    assert.equal(code, 65)
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith(' '))
        .map((line) => line.replace(/: .*\(/, ' ')),
      [
        'schema.yaml:6 SchemaInvalid)',
        'schema.yaml:7 SchemaInvalid)',
        'schema.yaml:8 TimeoutInvalid)',
        'schema.yaml:10 ScriptMissing)',
        'schema.yaml:10 ScriptMissing)',
        'schema.yaml:11 TemplateUnparsable)',
        'schema.yaml:11 HasTemplate)',
        'schema.yaml:11 NoFinalNewline)',
      ],
    )
  })
  it('says once that there are no scripts, not once for each that is missing then', async () => {
    for (const spec of ['{ version: "1" }', '{ version: "1", scripts: none }', 'none']) {
      const text = `kind: SSHJoinProfile\napiVersion: karpenter.dklesev.github.io/v1beta1\nmetadata:\n  name: x\nspec: ${spec}\n`
      const { code, stdout } = await kpssh('profile', 'lint', await file('no-scripts.yaml', text))
      assert.equal(code, 65)
      assert.equal(stdout.split('\n').filter((line) => line.includes(': error: ')).length, 1, stdout)
      assert.match(stdout, /: error: spec(\.scripts)?: .*expected object.*\(SchemaInvalid\)/)
    }
  })
  it('reports fields that nobody knows, and parameters that contradict themselves', async () => {
    const spec = [
      '  agentUnit: [kubelet]',
      '  parameters:',
      '    - { name: a, type: Boolean, default: "no" }',
      '    - name: b',
      '      pattrn: x',
      '    - { name: c, pattern: "(" }',
    ]
    const text = profile('p', { join: goodJoin })
      .replace('spec:', ['spec:', ...spec].join('\n'))
      .replace('{ name: p }', '{ name: p, uid: 123 }')
    const { code, stdout } = await kpssh('profile', 'lint', await file('fields.yaml', text))
    assert.equal(code, 65)
    assert.deepEqual(stdout.trim().split('\n'), [
      'fields.yaml:5: warning: spec.agentUnit: there is no such field, correct its name or leave it out (FieldUnknown)',
      'fields.yaml:7: error: spec.parameters[0].default of "a" is no Boolean, write true or false (ParameterInvalid)',
      'fields.yaml:9: warning: spec.parameters[1].pattrn: there is no such field, correct its name or leave it out (FieldUnknown)',
      'fields.yaml:10: error: spec.parameters[2].pattern of "c" cannot be used, it is no regular expression (ParameterInvalid)',
    ])
  })
  it('gives programs the same as JSON', async () => {
    const path = await file('j.yaml', profile('j', { join: `${goodJoin}\nreboot` }))
    const { stdout } = await kpssh('profile', 'lint', '--json', path)
    assert.deepEqual(JSON.parse(stdout.replaceAll(`${folder}/`, '')), [
      {
        file: 'j.yaml',
        line: 11,
        profile: 'j',
        severity: 'error',
        reason: 'Reboots',
        message: 'the host goes down in the middle of the phase',
        phase: 'join',
        scriptLine: 3,
        explanation:
          'A run ends with its host: its outcome is lost, the phase counts as failed, and the next attempt reboots again.',
        fix: 'Say in one line what needs the reboot, and end with an exit code that is not 0; boards are prepared before they are added.',
      },
    ])
  })
  it('says what is wrong with a file that cannot be used', async () => {
    const cases: readonly (readonly [string, string])[] = [
      [join(folder, 'missing.yaml'), 'there is no such file'],
      [folder, 'profile.yaml": there is no such file'],
      ['/dev/zero', 'it is longer than the 16 MiB that are read'],
      [await file('none.yaml', 'kind: Pod\n'), 'it holds no SSHJoinProfile'],
      [await file('empty.yaml', ''), 'it holds no SSHJoinProfile'],
      [await file('broken.yaml', 'a: [1\nb: 2\n'), 'is not valid YAML'],
      [
        await file(
          'bomb.yaml',
          'kind: SSHJoinProfile\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n',
        ),
        'aliases',
      ],
    ]
    for (const [path, message] of cases) {
      const { code, stderr } = await kpssh('profile', 'lint', path)
      assert.equal(code, 65, stderr)
      assert.ok(stderr.includes(message), stderr)
    }
  })
})

const context = JSON.stringify({
  NodeName: 'n1',
  BootstrapToken: 'abcdef.0123456789abcdef',
  HostAddress: '10.0.0.11',
  Vars: { a: "it's" },
})

describe('kpssh profile render', () => {
  it('prints the script alone', async () => {
    const path = await file('render.yaml', profile('r'))
    assert.deepEqual(
      await kpssh('profile', 'render', path, 'join', '--context', await file('ctx.json', context)),
      {
        code: 0,
        stdout: 'echo n1\n',
        stderr: '',
      },
    )
  })
  it('prints the exported environment of the phase', async () => {
    const [path, ctx] = [await file('render.yaml', profile('r')), await file('ctx.json', context)]
    const join = await kpssh('profile', 'render', path, 'join', '--context', ctx, '--env')
    assert.equal(
      join.stdout,
      "export KPSSH_BOOTSTRAP_TOKEN='abcdef.0123456789abcdef'\nexport KPSSH_CLUSTER_CA_B64=''\nexport KPSSH_CLUSTER_ENDPOINT=''\nexport KPSSH_HOST_ADDRESS='10.0.0.11'\nexport KPSSH_NODE_ADDRESS=''\nexport KPSSH_NODE_LABELS=''\nexport KPSSH_NODE_NAME='n1'\nexport KPSSH_PROVIDER_ID=''\nexport KPSSH_TAINTS=''\nexport KPSSH_VAR_a='it'\\''s'\n",
    )
    const leave = await kpssh('profile', 'render', path, 'leave', '--context', ctx, '--env')
    assert.equal(leave.stdout.match(/=''/g)?.length, 8)
    assert.doesNotMatch(leave.stdout, /KPSSH_VAR/)
  })
  it('prints everything as JSON', async () => {
    const [path, ctx] = [await file('render.yaml', profile('r')), await file('ctx.json', context)]
    const { stdout } = await kpssh('profile', 'render', path, 'join', '--context', ctx, '--json')
    const rendered: unknown = JSON.parse(stdout)
    assert.deepEqual(Object.keys(rendered as object), [
      'script',
      'environment',
      'secrets',
      'timeoutMs',
      'marker',
      'agentUnits',
    ])
  })
  it('takes the profile that is named, where there are several', async () => {
    const path = await file('two.yaml', `${profile('one')}---\n${profile('two', { join: 'echo two' })}`)
    const ctx = await file('ctx.json', context)
    assert.equal(
      (await kpssh('profile', 'render', path, 'join', '--context', ctx, '--name', 'two')).stdout,
      'echo two\n',
    )
    const unnamed = await kpssh('profile', 'render', path, 'join', '--context', ctx)
    assert.equal(unnamed.code, 65)
    assert.match(unnamed.stderr, /choose one of one, two with --name/)
    const misnamed = await kpssh('profile', 'render', path, 'join', '--context', ctx, '--name', 'three')
    assert.equal(misnamed.code, 65)
    assert.match(misnamed.stderr, /it holds no "three", choose one of one, two with --name/)
  })
  it('ref 55-57: refuses what cannot be rendered and names it', async () => {
    const path = await file('bad.yaml', profile('bad', { join: 'a\n{{ .Vars.missing }}' }))
    const ctx = await file('ctx.json', context)
    const join = await kpssh('profile', 'render', path, 'join', '--context', ctx)
    assert.equal(join.code, 65)
    assert.match(
      join.stderr,
      /Cannot render join of profile "bad": line 2, the map has no entry for key "missing"/,
    )
    assert.match(
      (await kpssh('profile', 'render', path, 'reboot', '--context', ctx)).stderr,
      /"reboot": it is unknown/,
    )
    assert.match(
      (await kpssh('profile', 'render', path, 'uninstall', '--context', ctx)).stderr,
      /no such script/,
    )
  })
  it('refuses a context without quoting it', async () => {
    const path = await file('render.yaml', profile('r'))
    for (const text of [
      '{"Secrets": {"a": s3cr3t}}',
      '[]',
      '{"Secret": {"a": "s3cr3t"}}',
      '{"Vars": {"a": 1}}',
    ]) {
      const { code, stderr } = await kpssh(
        'profile',
        'render',
        path,
        'join',
        '--context',
        await file('bad.json', text),
      )
      assert.equal(code, 65)
      assert.match(stderr, /Cannot use context "bad\.json": /)
      assert.doesNotMatch(stderr, /s3cr3t/)
    }
  })
})
