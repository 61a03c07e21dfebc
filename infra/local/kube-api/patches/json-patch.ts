// JSON patch (RFC 6902). A patch that cannot be applied, or whose test fails, changes nothing.
import { z } from 'zod'
import { isList, isRecord, isSame } from '../json.ts'
import { badRequest, StatusError } from '../status-error.ts'

const Operation = z.discriminatedUnion('op', [
  z.object({ op: z.enum(['add', 'replace', 'test']), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('remove'), path: z.string() }),
  z.object({ op: z.enum(['move', 'copy']), path: z.string(), from: z.string() }),
])
const Patch = z.array(Operation).max(10_000)
type Operation = z.infer<typeof Operation>

export function jsonPatch(target: unknown, patch: unknown): unknown {
  const parsed = Patch.safeParse(patch)
  if (!parsed.success) throw badRequest('error decoding patch: a list of operations is required')
  return parsed.data.reduce(apply, target)
}

function apply(target: unknown, operation: Operation): unknown {
  const path = readPointer(operation.path)
  switch (operation.op) {
    case 'add':
      return edit(target, path, () => ({ value: operation.value, inserts: true }))
    case 'replace':
      read(target, path)
      return edit(target, path, () => ({ value: operation.value }))
    case 'remove':
      read(target, path)
      return edit(target, path, () => undefined)
    case 'test':
      if (!isSame(read(target, path), operation.value)) throw rejected()
      return target
    case 'copy': {
      const value = read(target, readPointer(operation.from))
      return edit(target, path, () => ({ value, inserts: true }))
    }
    case 'move': {
      const from = readPointer(operation.from)
      const value = read(target, from)
      const without = edit(target, from, () => undefined)
      return edit(without, path, () => ({ value, inserts: true }))
    }
  }
}

function rejected(): StatusError {
  const message = 'the server rejected our request due to an error in our request'
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} })
}

function readPointer(pointer: string): readonly string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) throw rejected()
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function read(target: unknown, path: readonly string[]): unknown {
  let current = target
  for (const part of path) {
    if (isList(current)) {
      const index = indexIn(part, current.length - 1)
      current = current[index]
    } else if (isRecord(current) && Object.hasOwn(current, part)) {
      current = current[part]
    } else {
      throw rejected()
    }
  }
  return current
}

type Edit = () => { readonly value: unknown; readonly inserts?: boolean } | undefined

/** A copy of `target` in which the place at `path` has the edit's value, or is gone for undefined. */
function edit(target: unknown, path: readonly string[], change: Edit): unknown {
  const [part, ...rest] = path
  if (part === undefined) return change()?.value
  if (isList(target)) return editList(target, { part, rest }, change)
  if (!isRecord(target)) throw rejected()
  const fields = new Map(Object.entries(target))
  if (rest.length > 0) {
    if (!fields.has(part)) throw rejected()
    fields.set(part, edit(fields.get(part), rest, change))
    return Object.fromEntries(fields)
  }
  const edited = change()
  if (edited === undefined) fields.delete(part)
  else fields.set(part, edited.value)
  return Object.fromEntries(fields)
}

function editList(
  target: readonly unknown[],
  { part, rest }: { readonly part: string; readonly rest: readonly string[] },
  change: Edit,
): readonly unknown[] {
  if (rest.length > 0) {
    const index = indexIn(part, target.length - 1)
    return target.with(index, edit(target[index], rest, change))
  }
  const edited = change()
  if (edited?.inserts === true) {
    const index = part === '-' ? target.length : indexIn(part, target.length)
    return target.toSpliced(index, 0, edited.value)
  }
  const index = indexIn(part, target.length - 1)
  return edited === undefined ? target.toSpliced(index, 1) : target.with(index, edited.value)
}

function indexIn(part: string, last: number): number {
  const index = /^(0|[1-9][0-9]{0,8})$/.test(part) ? Number(part) : -1
  if (index < 0 || index > last) throw rejected()
  return index
}
