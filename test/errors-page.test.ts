import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { ControlPlaneError } from '../lib/errors/control-plane-error.ts'
import { dispositionOf, errorCodes, exitCodeOf } from '../lib/errors/disposition.ts'

interface Row {
  readonly code: string
  readonly className: string
  readonly disposition: string
  readonly exitCode: number
}

const page = await readFile(new URL('../docs/errors.md', import.meta.url), 'utf8')
const explained: readonly Row[] = page
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .filter(([, code = '']) => /^[A-Z_]+$/.test(code))
  .map(([, code = '', className = '', , disposition = '', exitCode]) => ({
    code,
    className,
    disposition,
    exitCode: Number(exitCode),
  }))

/** What the code says, by making one of each class. */
async function actual(): Promise<readonly Row[]> {
  const folder = new URL('../lib/errors/', import.meta.url)
  const files = (await readdir(folder)).filter((name) => name.endsWith('-error.ts'))
  const modules: readonly Record<string, unknown>[] = await Promise.all(
    files.map((name) => import(new URL(name, folder).href)),
  )
  const classes = modules.flatMap((module) => Object.values(module)).filter(isConcreteError)
  return classes.map((Class) => {
    const error = new Class('x')
    const { kind } = dispositionOf(error)
    return { code: error.code, className: Class.name, disposition: kind, exitCode: exitCodeOf(error) }
  })
}

function isConcreteError(value: unknown): value is new (message: string) => ControlPlaneError {
  return typeof value === 'function' && value.prototype instanceof ControlPlaneError
}

function byCode(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

describe('docs/errors.md', () => {
  it('explains every code, and no other, with the reaction and exit code that it has', async () => {
    assert.deepEqual(byCode(explained), byCode(await actual()))
  })

  it('has a class for every code of the closed list', () => {
    assert.deepEqual(explained.map(({ code }) => code).sort(), [...errorCodes].sort())
  })
})
