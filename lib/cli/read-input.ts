import { open } from 'node:fs/promises'
import { SpecError } from '../errors/spec-error.ts'
import { JoinContext } from '../profile/join-context.ts'

/** No input of ours is near this: a device or a wrong file is refused, not read. */
const largestFileBytes = 16 * 1024 * 1024

/** Throws SpecError (FileUnreadable). */
export async function readText(path: string): Promise<string> {
  return (await readBytes(path)).toString()
}

/** Throws SpecError (FileUnreadable). */
export async function readBytes(path: string): Promise<Buffer> {
  const bytes = await readStart(path, largestFileBytes + 1)
  if (bytes.length <= largestFileBytes) return bytes
  throw unreadable(path, 'it is longer than the 16 MiB that are read, give the path of the right file')
}

async function readStart(path: string, most: number): Promise<Buffer> {
  try {
    const file = await open(path)
    try {
      const buffer = Buffer.alloc(most)
      let size = 0
      for (let more = 1; more > 0 && size < most; size += more) {
        more = (await file.read(buffer, size, most - size, null)).bytesRead
      }
      return buffer.subarray(0, size)
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw unreadable(
      path,
      `${reasons[code] ?? `it cannot be opened (${code})`}, give the path of a readable file`,
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a directory',
}

function unreadable(path: string, why: string): SpecError {
  return new SpecError(`Cannot read "${path}": ${why}`, { reason: 'FileUnreadable', details: { path } })
}

/** A context file holds secrets: what is wrong with it is said without quoting it. Throws SpecError (ContextInvalid). */
export async function readContext(path: string): Promise<JoinContext> {
  const parsed = JoinContext.safeParse(parseJson(path, await readText(path)))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path: at, message }) =>
    [at.join('.'), message].filter(Boolean).join(': '),
  )
  const keys = Object.keys(JoinContext.shape).join(', ')
  throw invalidContext(path, `${problems.join('; ')}, its keys must be among ${keys}`)
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw invalidContext(path, 'it is not JSON, write one object')
  }
}

function invalidContext(path: string, why: string): SpecError {
  return new SpecError(`Cannot use context "${path}": ${why}`, {
    reason: 'ContextInvalid',
    details: { path },
  })
}
