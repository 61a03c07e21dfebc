// What is known of a shell script after reading it: enough to tell commands from text, and what a word may expand to.

export interface Word {
  readonly parts: readonly Part[]
  /** As it is written, quotes included. */
  readonly source: string
  /** Of its first character, from 1. */
  readonly line: number
}

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean }
  /** `"…"` */
  | { readonly kind: 'quoted'; readonly parts: readonly Part[] }
  | Parameter
  /** `$(…)`, backticks and `<(…)`. */
  | { readonly kind: 'substitution'; readonly body: Statements; readonly isQuoted: boolean }
  /** `$((…))`: always a number, whatever is in it. */
  | { readonly kind: 'arithmetic'; readonly parts: readonly Part[] }
  /** `(a b c)` after an equals sign. */
  | { readonly kind: 'array'; readonly words: readonly Word[] }
  /** `{{ … }}`: filled in before any shell sees it. */
  | { readonly kind: 'template'; readonly text: string }

/** `$name`, or `${name}` with whatever else stands between the braces. */
export interface Parameter {
  readonly kind: 'parameter'
  /** A variable, a number, or one of the special parameters: `@`, `#`, `?` … */
  readonly name: string
  /** `#` for a length, `!` for an indirection. */
  readonly prefix: '' | '#' | '!'
  /** Between brackets; `@` and `*` for every element. */
  readonly subscript: string
  /** `:-`, `?`, `##` …; empty without one. */
  readonly operator: string
  readonly argument: readonly Part[]
  readonly isQuoted: boolean
  readonly line: number
}

export interface Redirect {
  readonly operator: string
  readonly target: Word
  /** Of a heredoc; empty for any other. */
  readonly body: HeredocBody
}

/** Filled when its lines are reached, which is after the command. */
export interface HeredocBody {
  readonly parts: Part[]
  /** Of its first line. */
  line: number
}

export interface Assignment {
  readonly name: string
  /** `+=`, and every assignment to an element of an array. */
  readonly isAddition: boolean
  readonly value: Word
}

export interface SimpleCommand {
  readonly kind: 'simple'
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export interface Block {
  readonly kind: 'group' | 'subshell'
  readonly body: Statements
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export interface If {
  readonly kind: 'if'
  readonly branches: readonly { readonly condition: Statements; readonly body: Statements }[]
  readonly otherwise: Statements | undefined
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export interface Loop {
  readonly kind: 'loop'
  /** Of for and select. */
  readonly variable: string | undefined
  /** What the variable is in turn; undefined for the positional parameters. */
  readonly words: readonly Word[] | undefined
  /** Of while and until. */
  readonly condition: Statements
  readonly body: Statements
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export interface Case {
  readonly kind: 'case'
  readonly subject: Word
  readonly clauses: readonly { readonly patterns: readonly Word[]; readonly body: Statements }[]
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export interface FunctionDefinition {
  readonly kind: 'function'
  readonly name: string
  readonly body: Command
  readonly redirects: readonly Redirect[]
  readonly line: number
}

export type Command = SimpleCommand | Block | If | Loop | Case | FunctionDefinition

export interface Pipeline {
  readonly commands: readonly Command[]
}

/** Pipelines joined by `&&` and `||`. */
export interface Statement {
  readonly first: Pipeline
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[]
}

export type Statements = readonly Statement[]

export interface Comment {
  readonly line: number
  /** Without the `#`. */
  readonly text: string
  /** Nothing else stands on its line. */
  readonly isAlone: boolean
}

export interface Program {
  readonly statements: Statements
  readonly comments: readonly Comment[]
  /** Lines on which a new line of commands starts: not those that continue one, nor those of a heredoc. */
  readonly starts: readonly number[]
}
