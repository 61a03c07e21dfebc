// How two states of a machine differ, and how that reads: one line for each thing, with what stands in small text files.
import { shortDiff } from './diff-lines.ts'
import type { FileState, MachineState, UnitState } from './ports.ts'

export interface Change {
  readonly mark: '+' | '-' | '~'
  readonly kind: FileState['kind'] | 'unit' | 'mount' | 'device' | 'containers'
  /** Path or name. */
  readonly name: string
  /** What it is now, or how it differs. */
  readonly detail: string
  /** Of its content. */
  readonly lines: readonly string[]
}

/** Whether a path is left out, or only its content. */
export type Volatile = (path: string) => 'nothing' | 'content' | 'all'

/** In the order in which they are read: files by path, units, mounts, devices, containers. */
export function changesBetween(
  before: MachineState,
  after: MachineState,
  volatile: Volatile = () => 'nothing',
): readonly Change[] {
  return [
    ...fileChanges(before.files, after.files, volatile),
    ...unitChanges(before.units, after.units),
    ...listChanges('mount', before.mounts, after.mounts),
    ...listChanges('device', before.devices, after.devices),
    ...containerChanges(before.containers, after.containers),
  ]
}

/** `/var/log/` leaves out all that is below, `/etc/stamp` only what stands in it; `*` is any part of one name. */
export function volatileBy(patterns: readonly string[]): Volatile {
  const rules = patterns.map((pattern) => ({
    isAll: pattern.endsWith('/'),
    matches: new RegExp(
      `^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')}${pattern.endsWith('/') ? '' : '$'}`,
    ),
  }))
  return (path) => {
    const rule = rules.find(({ matches }) => matches.test(path))
    if (rule === undefined) return 'nothing'
    return rule.isAll ? 'all' : 'content'
  }
}

type Files = MachineState['files']

function fileChanges(before: Files, after: Files, volatile: Volatile): readonly Change[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((path) => {
    const kept = volatile(path)
    if (kept === 'all') return []
    return fileChange(path, seen(before.get(path), kept), seen(after.get(path), kept))
  })
}

function seen(file: FileState | undefined, kept: 'nothing' | 'content'): FileState | undefined {
  return file === undefined || kept === 'nothing' ? file : { ...file, content: '' }
}

function fileChange(path: string, before?: FileState, after?: FileState): readonly Change[] {
  if (before !== undefined && after !== undefined) return otherFile(path, before, after)
  if (after !== undefined) {
    return [{ mark: '+', kind: after.kind, name: path, detail: factsOf(after), lines: contentOf(after) }]
  }
  return before === undefined ? [] : [{ mark: '-', kind: before.kind, name: path, detail: '', lines: [] }]
}

function otherFile(path: string, before: FileState, after: FileState): readonly Change[] {
  if (isSameFile(before, after)) return []
  const kind = (file: FileState): string => (before.kind === after.kind ? '' : `${file.kind} `)
  const facts = (file: FileState): string => `${kind(file)}${factsOf(file)}`
  const detail = isSameFacts(before, after) ? '' : `${facts(before)} -> ${facts(after)}`
  return [{ mark: '~', kind: after.kind, name: path, detail, lines: contentChange(before, after) }]
}

function isSameFile(a: FileState, b: FileState): boolean {
  return isSameFacts(a, b) && isSameContent(a, b)
}

function isSameFacts(a: FileState, b: FileState): boolean {
  return a.kind === b.kind && factsOf(a) === factsOf(b)
}

function isSameContent(a: FileState, b: FileState): boolean {
  return a.kind === b.kind && a.content === b.content
}

/** The mode of a link says nothing; root's files are the rule. */
function factsOf({ kind, mode, owner, content }: FileState): string {
  if (kind === 'link') return `to ${content}`
  if (kind === 'other') return content
  const octal = mode.toString(8).padStart(3, '0')
  return owner === 'root:root' ? octal : `${octal} ${owner}`
}

const mostTextBytes = 8 * 1024
const mostTextLines = 150

/** undefined for what is no text, or too long to be read. */
function textLines(content: string): readonly string[] | undefined {
  if (content.length > mostTextBytes || isStandIn(content)) return undefined
  const text = utf8Of(content)
  if (text === undefined || /[^\P{Cc}\n\t]/u.test(text)) return undefined
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.length > mostTextLines ? undefined : lines
}

function utf8Of(content: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'latin1'))
  } catch {
    return undefined
  }
}

/** A program of the sandbox, of which only its place says anything. */
function isStandIn(content: string): boolean {
  return content.includes('\n. /.sandbox/stubs/')
}

function contentOf({ kind, content }: FileState): readonly string[] {
  if (kind !== 'file' || content === '' || isStandIn(content)) return []
  return textLines(content) ?? [`(${content.length} bytes)`]
}

function contentChange(before: FileState, after: FileState): readonly string[] {
  if (after.kind !== 'file' || isSameContent(before, after)) return []
  if (before.kind !== 'file') return contentOf(after)
  const [old, now] = [textLines(before.content), textLines(after.content)]
  return old === undefined || now === undefined ? ['(other content)'] : shortDiff(old, now)
}

function unitChanges(before: MachineState['units'], after: MachineState['units']): readonly Change[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap((name): readonly Change[] => {
    const [old, now] = [unitText(before.get(name)), unitText(after.get(name))]
    if (old === now) return []
    if (old === noUnit) return [{ mark: '+', kind: 'unit', name, detail: now, lines: [] }]
    if (now === noUnit) return [{ mark: '-', kind: 'unit', name, detail: '', lines: [] }]
    return [{ mark: '~', kind: 'unit', name, detail: `${old} -> ${now}`, lines: [] }]
  })
}

const noUnit = 'not-found, inactive'

function unitText(unit: UnitState | undefined): string {
  return unit === undefined ? noUnit : `${unit.enablement}, ${unit.activity}`
}

function listChanges(
  kind: 'mount' | 'device',
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const names = [...new Set([...before, ...after])].sort()
  const count = (list: readonly string[], name: string): number => list.filter((each) => each === name).length
  return names.flatMap((name): readonly Change[] => {
    const difference = count(after, name) - count(before, name)
    if (difference === 0) return []
    return [{ mark: difference > 0 ? '+' : '-', kind, name, detail: '', lines: [] }]
  })
}

function containerChanges(before: number, after: number): readonly Change[] {
  if (before === after) return []
  return [{ mark: '~', kind: 'containers', name: '', detail: `${before} -> ${after}`, lines: [] }]
}

/** What is in a directory that is gone is counted, not listed. */
export function renderChanges(changes: readonly Change[]): readonly string[] {
  const gone = changes.filter(({ mark, kind }) => mark === '-' && kind === 'directory')
  const topOf = (path: string) => gone.find(({ name }) => path.startsWith(`${name}/`))
  const inside = new Map<string, number>()
  for (const { mark, name } of changes) {
    const top = mark === '-' ? topOf(name) : undefined
    if (top !== undefined) inside.set(top.name, (inside.get(top.name) ?? 0) + 1)
  }
  return changes
    .filter(({ mark, name }) => mark !== '-' || topOf(name) === undefined)
    .flatMap((change) => renderChange(change, inside.get(change.name) ?? 0))
}

function renderChange({ mark, kind, name, detail, lines }: Change, inside: number): readonly string[] {
  const below = mark === '-' && inside > 0 ? `and ${inside} below` : ''
  const heading = [mark, kind, name, detail, below].filter((word) => word !== '').join(' ')
  return [heading, ...lines.map((line) => `    ${line}`.trimEnd())]
}
