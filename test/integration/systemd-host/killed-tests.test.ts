// A test that is killed closes nothing. What it had started must know by itself.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { atEnd } from '../../support/at-end.ts'
import { eventually } from '../../support/eventually.ts'
import { lookForNeeds, skippedWhere } from '../../support/systemd-host/needs.ts'

const needs = await lookForNeeds()

describe('a test that is killed', skippedWhere(needs), () => {
  it('leaves no host behind: no process, mount, network, control group or file', async (test) => {
    const { child, folder } = startProgram(test, 'hold-host.ts')
    const gateway = await firstLine(child)
    const device = deviceWith(gateway)
    const [name = ''] = readdirSync(folder)
    assert.notEqual(device, undefined)
    assert.notDeepEqual(controlGroups(name), [])
    assert.notDeepEqual(processesThatName(name), [])

    child.kill('SIGKILL')
    await eventually(() => readdirSync(folder).length === 0, 'the files of the host to go')
    assert.deepEqual(controlGroups(name), []) // which could not be removed with a process in them
    await eventually(() => processesThatName(name).length === 0, 'the processes of the host to end')
    // Another test may have its address by now.
    await eventually(() => deviceWith(gateway) !== device, 'the network of the host to go')
    assert.ok(!readFileSync('/proc/self/mountinfo', 'utf8').includes(name))
  })

  it('leaves no host behind that was booting', async (test) => {
    const { child, folder } = startProgram(test, 'hold-host.ts')
    const console = await eventually(() => globSync(`${folder}/*/console`)[0], 'the host to boot')
    const name = console.split('/').at(-2) ?? ''
    await eventually(() => controlGroups(name)[0], 'the control groups of the host')

    child.kill('SIGKILL')
    await eventually(() => readdirSync(folder).length === 0, 'the files of the host to go')
    assert.deepEqual(controlGroups(name), [])
    await eventually(() => processesThatName(name).length === 0, 'the processes of the host to end')
  })

  it('ends the making of the Debian tree', async (test) => {
    const { child, folder } = startProgram(test, 'make-tree.ts', {
      debootstrap:
        '#!/bin/bash\nmkdir "${@: -1}"\nmount -t tmpfs tmpfs "${@: -1}"\n: >"${@: -1}/begun"\nsleep infinity',
    })
    await eventually(
      () => processesThatName(folder).some((command) => command.includes('debootstrap')),
      'debootstrap',
    )

    child.kill('SIGKILL')
    await eventually(() => processesThatName(folder).length === 0, 'debootstrap to end')
    assert.ok(!readFileSync('/proc/self/mountinfo', 'utf8').includes(folder))
  })
})

/** With files and cache in a folder of its own, and programs that come before the machine's. */
function startProgram(
  test: TestContext,
  program: string,
  programs: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-killed-'))
  const bin = mkdtempSync(join(tmpdir(), 'kpssh-killed-'))
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(bin, name), text, { mode: 0o755 })
  const path = fileURLToPath(new URL(`../../support/systemd-host/${program}`, import.meta.url))
  assert.ok(needs.kind === 'met')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, needs.tree], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: folder,
      XDG_CACHE_HOME: folder,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    },
  })
  atEnd(test, () => {
    child.kill('SIGKILL')
    for (const each of [folder, bin]) rmSync(each, { recursive: true, force: true })
  })
  return { child, folder }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout !== null)
  for await (const line of createInterface({ input: stdout })) return line
  throw new Error('the program has ended without a word')
}

/** By its hardware address, which no other device has. */
function deviceWith(address: string): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find((each) => each.address === address)?.mac
}

function controlGroups(name: string): readonly string[] {
  return globSync(`/sys/fs/cgroup/**/${name.toLowerCase()}`)
}

function processesThatName(name: string): readonly string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => commandOf(entry))
    .filter((command) => command.includes(name))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return '' // it has ended since
  }
}
