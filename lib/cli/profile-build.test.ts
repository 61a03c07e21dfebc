import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { z } from 'zod'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { commands } from './commands.ts'
import { runCommandLine } from './run-command-line.ts'

const Manifest = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ scripts: z.record(z.string(), z.string()) }),
})
const profiles = join(import.meta.dirname, '../../profiles')

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'kpssh-profile-'))
})
after(() => rm(root, { recursive: true }))

async function kpssh(...words: string[]) {
  const console = fakeConsole()
  const code = await runCommandLine(commands, words, console)
  const short = (text: string) => text.replaceAll(`${root}/`, '')
  return { code, stdout: short(console.stdout), stderr: short(console.stderr) }
}

interface Folder {
  readonly spec?: readonly string[]
  readonly scripts?: Readonly<Record<string, string | Buffer | undefined>>
}

const good = {
  install: 'set -euo pipefail\ntrue\n',
  join: 'set -euo pipefail\nsystemctl enable --now kubelet\n',
  leave: 'set -euo pipefail\nsystemctl disable --now kubelet\n',
}

async function folder(name: string, { spec = ['version: "1"'], scripts = {} }: Folder = {}): Promise<string> {
  const path = join(root, name)
  await mkdir(path)
  const described = [
    'apiVersion: karpenter.dklesev.github.io/v1beta1',
    'kind: SSHJoinProfile',
    'metadata: { name: try }',
    'spec:',
    ...spec.map((line) => `  ${line}`),
  ]
  await writeFile(join(path, 'profile.yaml'), `${described.join('\n')}\n`)
  for (const [phase, script] of Object.entries({ ...good, ...scripts })) {
    if (script !== undefined) await writeFile(join(path, `${phase}.sh`), script)
  }
  return path
}

describe('kpssh profile build', () => {
  it('takes nothing of what proofs need into the manifest, and lint does not mind it', async () => {
    const path = await folder('proven')
    const alone = await kpssh('profile', 'build', path)
    await writeFile(join(path, 'proof.yaml'), 'family: [debian]\n')
    await writeFile(join(path, 'proof.txt'), '== debian: install\n')
    assert.deepEqual(await kpssh('profile', 'build', path), alone)
    assert.deepEqual(await kpssh('profile', 'lint', path), {
      code: 0,
      stdout: '',
      stderr: '0 errors, 0 warnings\n',
    })
  })
  it('makes a manifest that holds the scripts of the folder, byte for byte', async () => {
    const { code, stdout, stderr } = await kpssh('profile', 'build', join(profiles, 'tls-bootstrap'))
    assert.deepEqual([code, stderr], [0, ''])
    const { metadata, spec } = Manifest.parse(parse(stdout))
    assert.equal(metadata.name, 'tls-bootstrap')
    for (const phase of ['install', 'join', 'leave', 'uninstall'])
      assert.equal(spec.scripts[phase], await readFile(join(profiles, `tls-bootstrap/${phase}.sh`), 'utf8'))
  })
  it('needs no uninstall, and has none then', async () => {
    const { stdout } = await kpssh('profile', 'build', await folder('without-uninstall'))
    assert.deepEqual(Object.keys(Manifest.parse(parse(stdout)).spec.scripts), ['install', 'join', 'leave'])
  })
  it('writes it into a file', async () => {
    const path = await folder('to-file')
    const out = join(root, 'out.yaml')
    assert.deepEqual(await kpssh('profile', 'build', path, '--out', out), { code: 0, stdout: '', stderr: '' })
    assert.equal(await readFile(out, 'utf8'), (await kpssh('profile', 'build', path)).stdout)
    const { code, stderr } = await kpssh('profile', 'build', path, '--out', join(root, 'nowhere/out.yaml'))
    assert.equal(code, 65)
    assert.match(stderr, /^kpssh: Cannot write "nowhere\/out.yaml": it cannot be opened \(ENOENT\)/)
  })
  it('what it makes passes lint as the folder does, and renders the same', async () => {
    const path = await folder('round')
    const out = join(root, 'round.yaml')
    await kpssh('profile', 'build', path, '--out', out)
    for (const profile of [path, out]) {
      assert.deepEqual(await kpssh('profile', 'lint', profile), {
        code: 0,
        stdout: '',
        stderr: '0 errors, 0 warnings\n',
      })
    }
    await writeFile(join(root, 'context.json'), '{}')
    for (const profile of [path, out]) {
      const words = [profile, 'leave', '--context', join(root, 'context.json')]
      assert.equal((await kpssh('profile', 'render', ...words)).stdout, good.leave)
    }
  })

  const parameters = (...fields: readonly string[]) => ['parameters:', ...fields.map((field) => `  ${field}`)]
  const refusals: readonly (readonly [string, Folder, string])[] = [
    [
      'a script that is missing',
      { scripts: { leave: undefined } },
      'leave.sh, scripts.leave is empty, every profile must have one',
    ],
    [
      'a var that scripts read and nobody declares',
      { scripts: { join: `${good.join}echo "\${KPSSH_VAR_k8sMinor:?}"\n` } },
      'join.sh:3, $KPSSH_VAR_k8sMinor is read, but spec.parameters does not declare k8sMinor',
    ],
    [
      'a parameter of a type that does not exist',
      { spec: parameters('- { name: a, type: Number }') },
      'profile.yaml:6, spec.parameters[0].type: Invalid option: expected one of "String"|"Integer"|"Boolean"',
    ],
    [
      'a default that does not fit the type',
      { spec: parameters('- { name: a, default: x }', '- { name: b, type: Integer, default: x }') },
      'profile.yaml:7, spec.parameters[1].default of "b" is no Integer, write decimal digits without leading zeros',
    ],
    [
      'a default that does not fit the pattern',
      { spec: parameters('- name: a', '  pattern: "[0-9]+"', '  default: x') },
      'profile.yaml:8, spec.parameters[0].default of "a" does not match [0-9]+',
    ],
    [
      'a default that is no text',
      { spec: parameters('- { name: a, type: Integer, default: 110 }') },
      'profile.yaml:6, spec.parameters[0].default: Invalid input: expected string, received number',
    ],
    [
      'a field that nobody knows',
      { spec: ['agentUnit: [kubelet]'] },
      'profile.yaml:5, spec.agentUnit: there is no such field, correct its name or leave it out',
    ],
    [
      'a timeout that is none',
      { spec: ['timeouts: { join: 1.5h }'] },
      'profile.yaml:5, spec.timeouts.join: the duration "1.5h": it is not whole hours, minutes and seconds, write it as 90s, 10m or 1h30m',
    ],
    [
      'a leave that needs vars',
      { scripts: { leave: `${good.leave}echo {{ .Vars.a }}\n` } },
      'leave.sh:3, .Vars.a is not there when a host leaves, only .HostAddress and .NodeAddress are',
    ],
  ]
  for (const [index, [what, content, where]] of refusals.entries()) {
    it(`refuses ${what}, naming file and field`, async () => {
      const path = await folder(`refused-${index}`, content)
      const { code, stdout, stderr } = await kpssh('profile', 'build', path)
      assert.deepEqual([code, stdout], [65, ''])
      const name = `refused-${index}`
      assert.equal(
        stderr,
        `kpssh: Cannot build the profile in "${name}": ${name}/${where}\n`.replaceAll(`${root}/`, ''),
      )
    })
  }

  it('SSH-23: refuses bytes that a manifest cannot keep, and what is no text at all', async () => {
    const windows = await folder('windows', { scripts: { join: good.join.replaceAll('\n', '\r\n') } })
    assert.match(
      (await kpssh('profile', 'build', windows)).stderr,
      /Cannot put join.sh into a manifest byte for byte/,
    )
    const latin = await folder('latin', { scripts: { join: Buffer.from([0x65, 0xe9, 0x0a]) } })
    assert.match((await kpssh('profile', 'build', latin)).stderr, /"latin\/join.sh": it is not UTF-8/)
  })
  it('says what is wrong with a folder that is none of a profile', async () => {
    await mkdir(join(root, 'empty'))
    assert.match(
      (await kpssh('profile', 'build', join(root, 'empty'))).stderr,
      /"empty\/profile.yaml": there is no such file/,
    )
    const path = await folder('twice', { spec: ['scripts: { install: x }'] })
    assert.match(
      (await kpssh('profile', 'build', path)).stderr,
      /spec.scripts is there, scripts are the .sh files/,
    )
    await writeFile(join(path, 'profile.yaml'), 'kind: SSHJoinProfile\nspec: []\n')
    assert.match((await kpssh('profile', 'build', path)).stderr, /it is no SSHJoinProfile/)
    await writeFile(join(path, 'profile.yaml'), 'a: [')
    assert.match((await kpssh('profile', 'build', path)).stderr, /line 1 is not valid YAML/)
  })
})

describe('kpssh profile lint of a folder', () => {
  it('names the files of the folder, with their own lines', async () => {
    const path = await folder('lint', {
      spec: ['agentUnit: [x]'],
      scripts: { join: `${good.join}reboot\n`, uninstall: 'true\n' },
    })
    const { code, stdout } = await kpssh('profile', 'lint', path)
    assert.equal(code, 65)
    assert.deepEqual(
      stdout.split('\n').filter((line) => /^\S/.test(line)),
      [
        'lint/profile.yaml:5: warning: spec.agentUnit: there is no such field, correct its name or leave it out (FieldUnknown)',
        'lint/join.sh:3: error: the host goes down in the middle of the phase (Reboots)',
        'lint/uninstall.sh:1: warning: the script does not end at a failing command and does not end at an unset variable and does not notice a failure inside of a pipe (NoFailFast)',
      ],
    )
  })
})

describe('kpssh profile list and show', () => {
  it('lists what ships, with a purpose for each', async () => {
    const { code, stdout } = await kpssh('profile', 'list')
    assert.equal(code, 0)
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/).length),
      Array<number>(7).fill(3),
    )
    const listed = z.array(z.object({ name: z.string(), purpose: z.string() }))
    const { stdout: json } = await kpssh('profile', 'list', '--json')
    assert.deepEqual(
      listed.parse(JSON.parse(json)).map(({ name }) => name),
      ['demo', 'k3s', 'kubeadm', 'nodeadm-ssm', 'sbc', 'tls-bootstrap'],
    )
  })
  it('shows vars, units and times of one', async () => {
    const { code, stdout } = await kpssh('profile', 'show', 'demo')
    assert.equal(code, 0)
    assert.equal(
      stdout.replaceAll(profiles, 'P'),
      [
        'demo, version 1: The profile of the demo hosts (infra/local/demo-hosts)',
        '',
        'Folder        P/demo',
        'Agent units   kubelet',
        'Time          install 1 min, join 1 min, leave 1 min, uninstall 10 min',
        '',
        'Vars of a node class:',
        '  joinSeconds  Integer, default 30, matches [1-9][0-9]?',
        "      How long join waits for the node's certificate.",
        '',
        'To have it in a cluster:',
        '  kpssh profile build P/demo | kubectl apply -f -',
        '',
      ].join('\n'),
    )
    const { stdout: json } = await kpssh('profile', 'show', 'demo', '--json')
    assert.deepEqual(Object.keys(z.record(z.string(), z.unknown()).parse(JSON.parse(json))), [
      'name',
      'version',
      'folder',
      'purpose',
      'agentUnits',
      'timeouts',
      'parameters',
    ])
  })
  it('says which there are', async () => {
    assert.deepEqual(await kpssh('profile', 'show', 'k8s'), {
      code: 65,
      stdout: '',
      stderr:
        'kpssh: Cannot show profile "k8s": it does not come with kpssh, use one of demo, k3s, kubeadm, nodeadm-ssm, sbc, tls-bootstrap\n',
    })
  })
})
