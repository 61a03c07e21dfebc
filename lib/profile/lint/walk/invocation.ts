// A command as it may be carried out: the program, what it is called with, and under which circumstances.
import type { Word } from '../shell/syntax.ts'
import type { Texts } from './text.ts'

export interface Argument {
  readonly texts: Texts
  readonly word: Word
}

export interface Invocation {
  /** Without its directory, and without what merely starts it: `sudo`, `timeout 5`. Empty where nobody knows. */
  readonly program: string
  readonly arguments: readonly Argument[]
  /** Everything, with what starts the program. */
  readonly words: readonly Argument[]
  /** Values that are assigned before it, or by it. */
  readonly assigned: readonly Argument[]
  readonly redirects: readonly {
    readonly operator: string
    readonly target: Argument
    /** Of a heredoc. */
    readonly body: Argument
  }[]
  /** Where it is written: of a function, the line inside of it. */
  readonly line: number
  /** Programs whose exit code decides whether it is carried out. */
  readonly guards: readonly string[]
  /** Whether `set -x` may be on. */
  readonly isTraced: boolean
  /** A builtin of the shell: no other process sees its arguments. */
  readonly isBuiltin: boolean
  /** What it reads from stdin comes from the script. */
  readonly isFed: boolean
}

/** How many words of their own the programs take that start another one: options aside, this many. */
const starters: Readonly<Partial<Record<string, number>>> = {
  sudo: 0,
  doas: 0,
  env: 0,
  command: 0,
  builtin: 0,
  exec: 0,
  nohup: 0,
  nice: 0,
  ionice: 0,
  setsid: 0,
  stdbuf: 0,
  xargs: 0,
  time: 0,
  'systemd-run': 0,
  'systemd-inhibit': 0,
  nsenter: 0,
  unshare: 0,
  timeout: 1,
  flock: 1,
  chroot: 1,
}
/** Options of theirs that are followed by a value of their own. */
const valueOptions =
  /^(?:-[uUgCpnIPLdwEckst]|--(?:user|group|signal|kill-after|adjustment|classdata|max-args|wait|unit|slice|property))$/

/** Where the program stands in the words. */
export function programIndex(words: readonly Argument[]): number {
  let index = 0
  for (;;) {
    const name = baseName(words[index]?.texts[0] ?? '')
    const own = Object.hasOwn(starters, name) ? starters[name] : undefined
    const next = own === undefined ? undefined : afterOptions(words, index + 1, { name, own })
    if (next === undefined || next >= words.length) return index
    index = next
  }
}

function afterOptions(
  words: readonly Argument[],
  from: number,
  { name, own }: { readonly name: string; readonly own: number },
): number {
  let index = from
  for (let text = textAt(words, index); isOption(text, name); text = textAt(words, index)) {
    index += valueOptions.test(text) && !isSwitch(name, text) ? 2 : 1
  }
  return index + own
}

function isOption(text: string, name: string): boolean {
  return /^-./.test(text) || (name === 'env' && /^[A-Za-z_]\w*=/.test(text))
}

/** Letters that take a value in one program and none in another. */
function isSwitch(name: string, option: string): boolean {
  const switches: Readonly<Partial<Record<string, string>>> = {
    sudo: '-n -E -k -s -P',
    flock: '-n -s -u',
    xargs: '-t -p',
    setsid: '-c -w',
    exec: '-c',
    timeout: '-p',
    env: '-P',
    command: '-p',
  }
  return (switches[name] ?? '').split(' ').includes(option)
}

function textAt(words: readonly Argument[], index: number): string {
  return words[index]?.texts[0] ?? ''
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
