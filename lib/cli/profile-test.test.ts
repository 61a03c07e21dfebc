import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { z } from 'zod'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { fakeMachines } from '../../test/support/fakes/stepped-machines.ts'
import { textOf, type ScriptChange } from '../../test/support/worlds/proof-world.ts'
import { SandboxError } from '../errors/sandbox-error.ts'
import { scriptPhases } from '../profile/script-phase.ts'
import type { SteppedMachines } from '../proof/ports.ts'
import type { Command } from './command.ts'
import { profileTestCommand, proveFolder } from './profile-test.ts'
import { runCommandLine } from './run-command-line.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kpssh-profile-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function writeProfile(change?: ScriptChange): Promise<void> {
  const described = [
    'apiVersion: karpenter.dklesev.github.io/v1beta1',
    'kind: SSHJoinProfile',
    'metadata: { name: small }',
    'spec:',
    '  version: "1"',
    '  parameters:',
    '    - { name: minor, type: String, meaning: Which Kubernetes., default: "1" }',
  ]
  await put('profile.yaml', described.join('\n'))
  for (const phase of scriptPhases) await put(`${phase}.sh`, `${textOf(phase, change)}\n`)
}

function put(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text)
}

interface Run {
  readonly machines?: SteppedMachines
  readonly make?: () => Promise<SteppedMachines>
  readonly console?: ReturnType<typeof fakeConsole>
}

async function test(
  words: readonly string[],
  { machines = fakeMachines(), make, console = fakeConsole() }: Run = {},
) {
  const sandboxes = { clock: fakeClock(0), make: make ?? (() => Promise.resolve(machines)) }
  const command: Command = {
    ...profileTestCommand,
    run: (args, to) => proveFolder(args, to, () => Promise.resolve(sandboxes)),
  }
  const code = await runCommandLine([command], ['profile', 'test', folder, ...words], console)
  return {
    code,
    stdout: console.stdout.replaceAll(folder, 'DIR'),
    stderr: console.stderr.replaceAll(folder, 'DIR').replaceAll(/^.* …\n/gm, ''),
  }
}

const forgetful: ScriptChange = { phase: 'leave', from: 'disable kubelet.service', to: [] }

describe('kpssh profile test', () => {
  it('tells each step of each proof, and that everything holds', async () => {
    await writeProfile()
    const { code, stdout, stderr } = await test(['--seed', '7'])
    assert.equal(code, 0)
    assert.deepEqual(stdout.match(/^Proof.*$/gm), [
      'Proof 1 on debian: the cycle: install, join, leave, join, leave, uninstall',
      'Proof 2 on debian: interrupted anywhere and run again',
      'Proof 3 on debian: reboots',
      'Proof 4 on debian: leave where nobody expects it',
      'Proof 5 on debian: secrets',
    ])
    assert.match(stdout, /^ {2}ok {3}leave again {47} {4}1\.0 s$/m)
    assert.match(stdout, /^ {7}16 steps, before 12 of them the machine is another; 5 are tried$/m)
    assert.doesNotMatch(stdout, /FAIL/)
    assert.equal(
      stderr,
      'There is no DIR/proof.txt to hold the changes against: --update writes it\nEverything holds, of interruptions a sample: seed 7\n',
    )
  })

  it('names what it found, why it matters and what to do, and gives the same advice once', async () => {
    await writeProfile(forgetful)
    const { code, stdout, stderr } = await test(['--proof', '3'])
    assert.equal(code, 65)
    assert.equal(
      stdout.replaceAll(/ +1\.0 s$/gm, ''),
      [
        'Proof 3 on debian: reboots',
        '  ok   install, reboot',
        '  FAIL leave, reboot, join',
        '       ComesBackAfterReboot: kubelet.service is active when a host that has left reboots',
        '         A host that left, or was only installed, starts its agent at boot: it joins by itself.',
        '         In install and leave, disable the unit and its runtime; look for other units that want it or start it.',
        '       ComesBackAfterReboot: kubelet.service is enabled when a host that has left reboots',
        '  ok   join, reboot',
        '',
      ].join('\n'),
    )
    assert.equal(stderr, '2 findings\n')
  })

  it('gives everything as JSON, with the seed that repeats it', async () => {
    await writeProfile(forgetful)
    const { code, stdout } = await test(['--json', '--proof', '3', '--seed', '7'])
    assert.equal(code, 65)
    const report = z.looseObject({ steps: z.array(z.unknown()) }).parse(JSON.parse(stdout))
    assert.deepEqual(
      { ...report, steps: report.steps.slice(1, 2) },
      {
        profile: 'small',
        seed: 7,
        holds: false,
        steps: [
          {
            proof: 3,
            family: 'debian',
            title: 'leave, reboot, join',
            notes: [],
            durationMs: 1_000,
            findings: ['active', 'enabled'].map((state) => ({
              reason: 'ComesBackAfterReboot',
              message: `kubelet.service is ${state} when a host that has left reboots`,
              lines: [],
              explanation:
                'A host that left, or was only installed, starts its agent at boot: it joins by itself.',
              fix: 'In install and leave, disable the unit and its runtime; look for other units that want it or start it.',
            })),
            moreFindings: 0,
          },
        ],
      },
    )
  })

  it('interrupts at every point with --every-step', async () => {
    await writeProfile()
    const { stdout, stderr } = await test(['--every-step', '--proof', '2'])
    assert.match(stdout, /16 steps, before 12 of them the machine is another; 12 are tried/)
    assert.equal(stderr, 'Everything holds\n')
  })

  it('makes the proofs on each family that proof.yaml names', async () => {
    await writeProfile()
    await put('proof.yaml', 'family: [debian, redhat]\n')
    const { stdout } = await test(['--proof', '3'])
    assert.deepEqual(stdout.match(/^Proof.*$/gm), [
      'Proof 3 on debian: reboots',
      'Proof 3 on redhat: reboots',
    ])
  })

  it('writes proof.txt with --update, and holds later changes against it', async () => {
    await writeProfile()
    const { code, stderr } = await test(['--update', '--proof', '1'])
    assert.equal(code, 0)
    assert.equal(stderr, 'DIR/proof.txt is written: review it\nEverything holds\n')
    assert.match(
      await readFile(join(folder, 'proof.txt'), 'utf8'),
      /^== debian: leave\n- file \/etc\/kubelet.conf/m,
    )
    assert.equal((await test(['--proof', '1'])).stderr, 'Everything holds\n')
    await writeProfile({ phase: 'join', from: 'write /run/config', to: ['write /run/config 600'] })
    assert.match((await test(['--proof', '1'])).stdout, /GoldenDiffers: section "debian: join" of proof.txt/)
  })

  it('leaves proof.txt alone where the cycle does not come to its end', async () => {
    await writeProfile({ phase: 'uninstall', to: ['fail 3'] })
    await put('proof.txt', 'as reviewed\n')
    const { code, stderr } = await test(['--update'])
    assert.equal(code, 65)
    assert.match(stderr, /^DIR\/proof.txt is as it was: the cycle did not come to its end$/m)
    assert.equal(await readFile(join(folder, 'proof.txt'), 'utf8'), 'as reviewed\n')
  })

  it('says where no such machine can be made, and ends with 69', async () => {
    await writeProfile()
    const why = 'Cannot make a sandbox: only root may make one, run it with sudo'
    const make = () => Promise.reject(new SandboxError(why, { reason: 'SandboxUnavailable' }))
    assert.deepEqual(await test([], { make }), { code: 69, stdout: '', stderr: `kpssh: ${why}\n` })
  })

  it('says that the machine of proof.yaml cannot be prepared, and ends with 65', async () => {
    await writeProfile()
    await put('proof.yaml', 'machine: fail 3\n')
    const { code, stderr } = await test([])
    assert.equal(code, 65)
    assert.match(
      stderr,
      /^kpssh: Cannot use "machine" of proof\.yaml: Cannot prepare a machine: it ended with 3$/m,
    )
  })

  it('closes every machine when it is stopped in the middle', async () => {
    await writeProfile()
    const console = fakeConsole()
    const machines = fakeMachines()
    const reached = Promise.withResolvers<undefined>()
    const stuck: SteppedMachines = {
      ...machines,
      async make(from) {
        const machine = await machines.make(from)
        return {
          ...machine,
          run() {
            reached.resolve(undefined)
            return new Promise(() => undefined)
          },
        }
      },
    }
    const running = test([], { machines: stuck, console })
    await reached.promise
    console.interrupt()
    const { code, stdout, stderr } = await running
    assert.deepEqual(
      { code, stdout },
      { code: 130, stdout: 'Proof 1 on debian: the cycle: install, join, leave, join, leave, uninstall\n' },
    )
    assert.equal(stderr, 'Stopped: nothing was left behind\n')
    machines.assertIdle()
  })

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['a proof that there is not', ['--proof', '6'], 'Cannot make proof "6": give a number from 1 to 5'],
    [
      'a seed that is no number',
      ['--seed', 'x'],
      'Cannot use seed "x": it is no number, give up to nine digits',
    ],
    [
      'an update without what finds it',
      ['--update', '--proof', '3'],
      'Cannot update proof.txt: only proof 1 finds what is in it, leave --proof out',
    ],
  ]
  for (const [what, words, message] of wrong) {
    it(`refuses ${what}`, async () => {
      assert.deepEqual(await test(words), { code: 64, stdout: '', stderr: `kpssh: ${message}\n` })
    })
  }
})

describe('kpssh profile test, given a folder that is wrong', () => {
  async function complaint(): Promise<string> {
    const { code, stdout, stderr } = await test([])
    assert.deepEqual({ code, stdout }, { code: 65, stdout: '' })
    return stderr
  }

  it('says that there is no such folder', async () => {
    await rm(folder, { recursive: true })
    assert.equal(
      await complaint(),
      'kpssh: Cannot prove "DIR": it is no folder, give the folder of a profile\n',
    )
    folder = await mkdtemp(join(tmpdir(), 'kpssh-profile-test-'))
  })

  it('names the script that is missing', async () => {
    await writeProfile()
    await rm(join(folder, 'leave.sh'))
    assert.equal(
      await complaint(),
      'kpssh: Cannot build the profile in "DIR": DIR/leave.sh, scripts.leave is empty, every profile must have one\n',
    )
  })

  it('names the parameter whose default does not fit', async () => {
    await writeProfile()
    const described = await readFile(join(folder, 'profile.yaml'), 'utf8')
    await put('profile.yaml', described.replace('type: String', 'type: Integer').replace('"1" }', 'one }'))
    assert.equal(
      await complaint(),
      'kpssh: Cannot build the profile in "DIR": DIR/profile.yaml:7, spec.parameters[0].default of "minor" is no Integer, write decimal digits without leading zeros\n',
    )
  })

  it('names what proof.yaml has and nobody knows', async () => {
    await writeProfile()
    await put('proof.yaml', 'famly: [debian]\n')
    assert.match(
      await complaint(),
      /^kpssh: Cannot use "DIR\/proof\.yaml": famly: there is no such key, use /,
    )
  })

  it('names the var that the profile does not know', async () => {
    await writeProfile()
    await put('proof.yaml', 'context: { Vars: { major: "1" } }\n')
    assert.match(
      await complaint(),
      /^kpssh: Cannot prove profile "small": vars\.major is no parameter of the profile, give .*DIR\/proof\.yaml/,
    )
  })

  it('refuses a proof.yaml of several documents', async () => {
    await writeProfile()
    await put('proof.yaml', 'family: [debian]\n---\nfamily: [redhat]\n')
    assert.equal(
      await complaint(),
      'kpssh: Cannot use "DIR/proof.yaml": it has several documents, write one\n',
    )
  })
})
