// Builds the syntax tree. What Go refuses when it parses is refused here; what it finds only when it executes is left to
// execute.ts, so that a profile fails where and when it fails with the Go implementation.
import { toBytes } from './bytes.ts'
import { tokenize } from './lexer.ts'
import type { Branch, Node, Pipeline, SyntaxTree } from './nodes.ts'
import { nested, parsePipeline, templateName, type PipelineScope } from './pipeline-parser.ts'
import { TemplateFault } from './template-fault.ts'
import { makeTokenReader, type TokenReader } from './token-reader.ts'

/** What is known while the body of one template is parsed. */
interface Scope extends PipelineScope {
  readonly templates: Map<string, readonly Node[]>
  readonly isInRange: boolean
}

type BodyEnd = 'end' | 'else'

export function parse(name: string, source: string): SyntaxTree {
  const reader = makeTokenReader(tokenize(source))
  const templates = new Map<string, readonly Node[]>()
  const scope: Scope = { reader, templates, variables: ['$'], nesting: 0, isInRange: false }
  const root: Node[] = []
  while (reader.peek().kind !== 'end') {
    if (isOpening(reader, 'define')) parseDefinition(scope)
    else root.push(parseTopLevelNode(scope))
  }
  addTemplate(templates, { name, body: root, line: reader.peek().line })
  return { name, templates }
}

function isOpening(reader: TokenReader, keyword: string): boolean {
  if (reader.peek().kind !== 'open') return false
  const next = reader.peekPastSpace(1)
  return next.kind === 'keyword' && next.text === keyword
}

function parseTopLevelNode(scope: Scope): Node {
  const { line } = scope.reader.peek()
  const node = parseNode(scope)
  if (node === 'end' || node === 'else') throw new TemplateFault('parse', line, `unexpected {{${node}}}`)
  return node
}

function parseDefinition(scope: Scope): void {
  const { reader } = scope
  const { line } = reader.take()
  reader.takePastSpace()
  const name = templateName(reader, 'define')
  reader.expect('close', 'after the name in {{define}}')
  addTemplate(scope.templates, { name, body: parseOwnBody(scope, 'define'), line })
}

/** The body of a template of its own: it sees no variables of its surroundings. */
function parseOwnBody(scope: Scope, keyword: string): readonly Node[] {
  const { line } = scope.reader.peek()
  const inner = { ...nested(scope, line), variables: ['$'], isInRange: false }
  const { nodes, end } = parseBody(inner)
  if (end !== 'end') throw new TemplateFault('parse', line, `unexpected {{else}} in {{${keyword}}}`)
  return nodes
}

function addTemplate(
  templates: Map<string, readonly Node[]>,
  { name, body, line }: { readonly name: string; readonly body: readonly Node[]; readonly line: number },
): void {
  const known = templates.get(name)
  if (known === undefined || isBlank(known)) {
    templates.set(name, body)
  } else if (!isBlank(body)) {
    throw new TemplateFault('parse', line, `template "${name}" is defined more than once`)
  }
}

function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === 'text' && /^[ \t\r\n\v\f]*$/.test(node.bytes))
}

function parseBody(scope: Scope): { readonly nodes: readonly Node[]; readonly end: BodyEnd } {
  const nodes: Node[] = []
  while (scope.reader.peek().kind !== 'end') {
    const node = parseNode(scope)
    if (node === 'end' || node === 'else') return { nodes, end: node }
    nodes.push(node)
  }
  throw new TemplateFault('parse', scope.reader.peek().line, 'the template ends before {{end}}')
}

function parseNode(scope: Scope): Node | BodyEnd {
  const token = scope.reader.take()
  return token.kind === 'text'
    ? { kind: 'text', line: token.line, bytes: toBytes(token.text) }
    : parseAction(scope)
}

/** The opening delimiter is taken. */
function parseAction(scope: Scope): Node | BodyEnd {
  const { reader } = scope
  const token = reader.peekPastSpace()
  if (token.kind !== 'keyword') {
    return { kind: 'action', pipeline: parsePipeline(scope, { context: 'an action', end: 'close' }) }
  }
  reader.takePastSpace()
  switch (token.text) {
    case 'if':
    case 'with':
    case 'range':
      return parseBranch(scope, token.text, token.line)
    case 'template':
      return parseTemplateCall(scope, token.line)
    case 'block':
      return parseBlock(scope, token.line)
    case 'break':
    case 'continue':
      return parseJump(scope, token.text, token.line)
    case 'end':
      reader.expect('close', 'after "end"')
      return 'end'
    case 'else':
      return parseElse(reader)
    default:
      throw new TemplateFault('parse', token.line, `"${token.text}" may only stand at the top level`)
  }
}

/** `{{else if …}}` and `{{else with …}}` leave their keyword to the branch they continue. */
function parseElse(reader: TokenReader): 'else' {
  const next = reader.peekPastSpace()
  const isChained = next.kind === 'keyword' && (next.text === 'if' || next.text === 'with')
  if (!isChained) reader.expect('close', 'after "else"')
  return 'else'
}

function parseJump(scope: Scope, kind: 'break' | 'continue', line: number): Node {
  scope.reader.expect('close', `after "${kind}"`)
  if (!scope.isInRange) throw new TemplateFault('parse', line, `{{${kind}}} outside {{range}}`)
  return { kind }
}

function parseBranch(outer: Scope, kind: Branch['kind'], line: number): Branch {
  // Variables declared in a branch end with it.
  const scope = { ...nested(outer, line), variables: [...outer.variables] }
  const pipeline = parsePipeline(scope, { context: kind, end: 'close' })
  const { nodes: body, end } = parseBody({ ...scope, isInRange: kind === 'range' || scope.isInRange })
  const otherwise = end === 'else' ? parseOtherwise(scope, kind) : []
  return { kind, pipeline, body, otherwise }
}

function parseOtherwise(scope: Scope, kind: Branch['kind']): readonly Node[] {
  const { reader } = scope
  const next = reader.peekPastSpace()
  if (next.kind === 'keyword' && (next.text === 'if' || next.text === 'with')) {
    if (next.text !== kind) {
      throw new TemplateFault('parse', next.line, `unexpected "${next.text}" after "else" of {{${kind}}}`)
    }
    reader.takePastSpace()
    return [parseBranch(scope, next.text, next.line)]
  }
  const { nodes, end } = parseBody(scope)
  if (end !== 'end') throw new TemplateFault('parse', next.line, `a second {{else}} in {{${kind}}}`)
  return nodes
}

function parseTemplateCall(scope: Scope, line: number): Node {
  const name = templateName(scope.reader, 'template')
  if (scope.reader.peekPastSpace().kind === 'close') {
    scope.reader.takePastSpace()
    return { kind: 'template', line, name, pipeline: undefined }
  }
  return { kind: 'template', line, name, pipeline: parseArgument(scope, 'template') }
}

function parseBlock(scope: Scope, line: number): Node {
  const name = templateName(scope.reader, 'block')
  const pipeline = parseArgument(scope, 'block')
  addTemplate(scope.templates, { name, body: parseOwnBody(scope, 'block'), line })
  return { kind: 'template', line, name, pipeline }
}

function parseArgument(scope: Scope, context: string): Pipeline {
  return parsePipeline(scope, { context, end: 'close' })
}
