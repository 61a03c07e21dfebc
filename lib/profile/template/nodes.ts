// The syntax tree of a template. Every node knows its line, for messages.
import type { ByteString } from './bytes.ts'
import type { Value } from './values.ts'

export type Node =
  | { readonly kind: 'text'; readonly line: number; readonly bytes: ByteString }
  | { readonly kind: 'action'; readonly pipeline: Pipeline }
  | Branch
  | {
      readonly kind: 'template'
      readonly line: number
      readonly name: string
      /** Absent: the template gets nil. */
      readonly pipeline: Pipeline | undefined
    }
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' }

export interface Branch {
  readonly kind: 'if' | 'with' | 'range'
  readonly pipeline: Pipeline
  readonly body: readonly Node[]
  readonly otherwise: readonly Node[]
}

export interface Pipeline {
  readonly line: number
  /** Variables that take the value, `$` included; at most two, and two only in `range`. */
  readonly variables: readonly string[]
  /** `=` rather than `:=`. */
  readonly isAssignment: boolean
  readonly commands: readonly Command[]
}

/** An operand, or a function and its arguments. Never empty. */
export interface Command {
  readonly first: Operand
  readonly rest: readonly Operand[]
}

export type Operand =
  | { readonly kind: 'dot'; readonly line: number }
  | { readonly kind: 'nil'; readonly line: number }
  /** A literal; `overflow` is a number that no type holds. */
  | { readonly kind: 'literal'; readonly line: number; readonly value: Value | 'overflow' }
  | { readonly kind: 'field'; readonly line: number; readonly path: readonly string[] }
  | {
      readonly kind: 'variable'
      readonly line: number
      /** With its `$`. */
      readonly name: string
      readonly path: readonly string[]
    }
  | { readonly kind: 'function'; readonly line: number; readonly name: FunctionName }
  | { readonly kind: 'pipeline'; readonly line: number; readonly pipeline: Pipeline }
  /** Fields of what an operand gives: `(index .Vars "a").b`. */
  | {
      readonly kind: 'chain'
      readonly line: number
      readonly operand: Operand
      readonly path: readonly string[]
    }

export const functionNames = [
  'and',
  'call',
  'eq',
  'ge',
  'gt',
  'html',
  'index',
  'js',
  'le',
  'len',
  'lt',
  'ne',
  'not',
  'or',
  'print',
  'printf',
  'println',
  'slice',
  'urlquery',
] as const
export type FunctionName = (typeof functionNames)[number]

export interface SyntaxTree {
  /** Name of the template that is rendered; the others are reached from it by name. */
  readonly name: string
  readonly templates: ReadonlyMap<string, readonly Node[]>
}
