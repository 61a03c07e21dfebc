// The inside of an action: variables, commands separated by `|`, operands separated by spaces.
import type { Token } from './lexer.ts'
import { charValue, complexPairValue, numberValue, quotedString, rawString } from './literals.ts'
import { functionNames, type Command, type FunctionName, type Operand, type Pipeline } from './nodes.ts'
import { TemplateFault } from './template-fault.ts'
import { unexpected, type TokenReader } from './token-reader.ts'
import { boolValue, intValue, stringValue, type Value } from './values.ts'

/** Deepest nesting of parentheses and branches. */
const maxNesting = 100

export interface PipelineScope {
  readonly reader: TokenReader
  /** Names in sight, with their `$`. Declarations are added. */
  readonly variables: string[]
  readonly nesting: number
}

export interface PipelinePlace {
  /** For messages: the keyword, or what the pipeline stands in. */
  readonly context: string
  readonly end: 'close' | 'rightParen'
}

export function nested<S extends PipelineScope>(scope: S, line: number): S {
  if (scope.nesting >= maxNesting) {
    throw new TemplateFault('parse', line, `nested deeper than ${maxNesting} levels`)
  }
  return { ...scope, nesting: scope.nesting + 1 }
}

/** Takes the token that ends it, too. */
export function parsePipeline(scope: PipelineScope, place: PipelinePlace): Pipeline {
  const { line } = scope.reader.peekPastSpace()
  const { variables, isAssignment } = parseVariables(scope, place)
  const commands: Command[] = []
  while (scope.reader.peekPastSpace().kind !== place.end) {
    commands.push(parseCommand(scope, place))
  }
  scope.reader.takePastSpace()
  if (commands.length === 0) throw new TemplateFault('parse', line, `missing value for ${place.context}`)
  for (const { first } of commands.slice(1)) requireCallable(first)
  return { line, variables, isAssignment, commands }
}

/** Only the first command of a pipeline may be a plain value: the others are given the value before them. */
function requireCallable(first: Operand): void {
  if (first.kind === 'literal' || first.kind === 'dot' || first.kind === 'nil') {
    throw new TemplateFault('parse', first.line, 'only functions, fields and variables may follow a "|"')
  }
}

function parseVariables(
  scope: PipelineScope,
  place: PipelinePlace,
): Pick<Pipeline, 'variables' | 'isAssignment'> {
  const { reader } = scope
  const variables: string[] = []
  for (;;) {
    const variable = reader.peekPastSpace()
    const sign = variable.kind === 'variable' ? signAfterVariable(reader) : undefined
    if (sign === undefined) return { variables, isAssignment: false }
    reader.takePastSpace()
    reader.takePastSpace()
    variables.push(variable.text)
    scope.variables.push(variable.text)
    if (sign.kind !== 'punctuation') return { variables, isAssignment: sign.kind === 'assign' }
    requireSecondVariable(reader, place, variables.length)
  }
}

/** The `:=`, `=` or `,` that makes the variable at hand one to be set. */
function signAfterVariable(reader: TokenReader): Token | undefined {
  const start = reader.peek().kind === 'space' ? 1 : 0
  const sign = reader.peekPastSpace(start + 1)
  const isComma = sign.kind === 'punctuation' && sign.text === ','
  return sign.kind === 'declare' || sign.kind === 'assign' || isComma ? sign : undefined
}

function requireSecondVariable(reader: TokenReader, place: PipelinePlace, count: number): void {
  const next = reader.peekPastSpace()
  if (place.context !== 'range' || count > 1) {
    throw new TemplateFault('parse', next.line, `too many variables for ${place.context}`)
  }
  if (next.kind !== 'variable' && next.kind !== place.end) {
    throw new TemplateFault('parse', next.line, 'only variables may stand before ":=" in {{range}}')
  }
}

function parseCommand(scope: PipelineScope, place: PipelinePlace): Command {
  const { reader } = scope
  const operands: Operand[] = []
  for (;;) {
    const before = reader.peekPastSpace()
    if (before.kind === 'close' || before.kind === 'rightParen' || before.kind === 'pipe') break
    operands.push(parseOperand(scope, place))
    const after = reader.peek()
    if (after.kind === 'space') continue
    if (after.kind === 'close' || after.kind === 'rightParen' || after.kind === 'pipe') break
    throw unexpected(after, 'after a value')
  }
  const next = reader.peekPastSpace()
  const [first, ...rest] = operands
  if (first === undefined) throw unexpected(next, `in ${place.context}`)
  if (next.kind === 'pipe') reader.takePastSpace()
  return { first, rest }
}

function parseOperand(scope: PipelineScope, place: PipelinePlace): Operand {
  const operand = parseTerm(scope, place)
  const path: string[] = []
  while (scope.reader.peek().kind === 'field') path.push(scope.reader.take().text.slice(1))
  if (path.length === 0) return operand
  switch (operand.kind) {
    case 'field':
    case 'variable':
      return { ...operand, path: [...operand.path, ...path] }
    case 'literal':
    case 'nil':
    case 'dot':
      throw new TemplateFault('parse', operand.line, `".${path.join('.')}" may not follow this value`)
    case 'function':
    case 'pipeline':
    case 'chain':
      return { kind: 'chain', line: operand.line, operand, path }
  }
}

function parseTerm(scope: PipelineScope, place: PipelinePlace): Operand {
  const token = scope.reader.takePastSpace()
  const { kind, line, text } = token
  if (kind === 'dot' || kind === 'nil') return { kind, line }
  if (kind === 'field') return { kind, line, path: [text.slice(1)] }
  if (kind === 'identifier') return { kind: 'function', line, name: functionName(token) }
  if (kind === 'variable') {
    if (scope.variables.includes(text)) return { kind, line, name: text, path: [] }
    throw new TemplateFault('parse', line, `variable "${text}" is not defined`)
  }
  if (kind === 'leftParen') {
    const inner = { context: 'parentheses', end: 'rightParen' } as const
    return { kind: 'pipeline', line, pipeline: parsePipeline(nested(scope, line), inner) }
  }
  return { kind: 'literal', line, value: literalValue(token, place) }
}

function functionName({ text, line }: Token): FunctionName {
  const name = functionNames.find((known) => known === text)
  if (name === undefined) throw new TemplateFault('parse', line, `function "${text}" is not defined`)
  return name
}

function literalValue(token: Token, place: PipelinePlace): Value | 'overflow' {
  const { kind, text, line } = token
  if (kind === 'bool') return boolValue(text === 'true')
  const read = Object.hasOwn(literalReaders, kind) ? literalReaders[kind] : undefined
  if (read === undefined) throw unexpected(token, `in ${place.context}`)
  const value = read(text)
  if (value === undefined) throw new TemplateFault('parse', line, `bad ${kind} syntax ${text.slice(0, 40)}`)
  return value
}

const literalReaders: Readonly<
  Partial<Record<Token['kind'], (text: string) => Value | 'overflow' | undefined>>
> = {
  number: numberValue,
  complex: complexPairValue,
  char(text) {
    const code = charValue(text)
    return code === undefined ? undefined : intValue(code)
  },
  string(text) {
    const bytes = quotedString(text)
    return bytes === undefined ? undefined : stringValue(bytes)
  },
  rawString: (text) => stringValue(rawString(text)),
}

/** The quoted name in `{{define "…"}}`, `{{template "…"}}` and `{{block "…"}}`; names compare as bytes. */
export function templateName(reader: TokenReader, keyword: string): string {
  const token = reader.takePastSpace()
  const read = token.kind === 'string' ? quotedString : token.kind === 'rawString' ? rawString : undefined
  const name = read?.(token.text)
  if (name === undefined) throw unexpected(token, `where {{${keyword}}} needs a quoted name`)
  return name
}
