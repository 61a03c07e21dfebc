// leave runs with no node class at hand: its template may refer to the host's two addresses and to nothing else, also
// where it would not be executed today. Decided on the syntax tree, by following where the context can get to.
import { shortText } from '../api/short-text.ts'
import type { Branch, Command, Node, Operand, Pipeline, SyntaxTree } from './template/nodes.ts'

const longestText = 100

/** A reference that leave must not make. */
export interface ForeignReference {
  readonly line: number
  /** As it is written: `.Vars.clusterName`, or `.` for the context as a whole. */
  readonly text: string
}

/** What a value may be: the whole context, or something that does not hold it. */
type Kind = 'context' | 'plain'

interface Search {
  readonly tree: SyntaxTree
  readonly found: ForeignReference[]
  /** Templates to look through, each once for each kind of argument that it may get. */
  readonly calls: Map<string, TemplateUse>
}

interface TemplateUse {
  readonly name: string
  readonly dot: Kind
}

interface Scope {
  readonly dot: Kind
  readonly variables: Binding
}

/** The innermost variable, and those around it. */
interface Binding {
  readonly name: string
  readonly kind: Kind
  readonly outer: Binding | undefined
}

export function foreignReferences(tree: SyntaxTree): readonly ForeignReference[] {
  const search: Search = { tree, found: [], calls: new Map() }
  noteCall(search, { name: tree.name, dot: 'context' })
  searchCalls(search)
  // Templates that nobody calls count as branches that are not taken.
  const called = new Set([...search.calls.values()].map(({ name }) => name))
  for (const name of tree.templates.keys()) if (!called.has(name)) noteCall(search, { name, dot: 'context' })
  searchCalls(search)
  const byPlace = new Map(search.found.map((reference) => [`${reference.line} ${reference.text}`, reference]))
  return [...byPlace.values()].sort((a, b) => a.line - b.line)
}

function noteCall({ calls }: Search, use: TemplateUse): void {
  const key = `${use.dot} ${use.name}`
  if (!calls.has(key)) calls.set(key, use)
}

/** A map is walked in the order of insertion, what is added on the way included; what was searched finds nothing new. */
function searchCalls(search: Search): void {
  for (const { name, dot } of search.calls.values()) {
    const variables = { name: '$', kind: dot, outer: undefined }
    searchNodes(search, { dot, variables }, search.tree.templates.get(name) ?? [])
  }
}

function searchNodes(search: Search, outer: Scope, nodes: readonly Node[]): void {
  let scope = outer
  for (const node of nodes) {
    switch (node.kind) {
      case 'action':
        scope = searchAction(search, scope, node.pipeline)
        break
      case 'if':
      case 'with':
      case 'range':
        searchBranch(search, scope, node)
        break
      case 'template':
        noteCall(search, { name: node.name, dot: argumentKind(search, scope, node.pipeline) })
        break
      case 'text':
      case 'break':
      case 'continue':
    }
  }
}

function argumentKind(search: Search, scope: Scope, pipeline: Pipeline | undefined): Kind {
  return pipeline === undefined ? 'plain' : searchPipeline(search, scope, pipeline)
}

function searchAction(search: Search, scope: Scope, pipeline: Pipeline): Scope {
  const kind = searchPipeline(search, scope, pipeline)
  // Written out, or put where an earlier branch may already have looked.
  if (pipeline.variables.length === 0 || pipeline.isAssignment) refuseContext(search, kind, pipeline)
  return withVariables(scope, pipeline, kind)
}

function searchBranch(search: Search, scope: Scope, branch: Branch): void {
  const kind = searchPipeline(search, scope, branch.pipeline)
  const inner = withVariables(scope, branch.pipeline, kind)
  if (branch.kind !== 'with' || branch.pipeline.isAssignment) refuseContext(search, kind, branch.pipeline)
  searchNodes(search, branch.kind === 'if' ? inner : { ...inner, dot: kind }, branch.body)
  searchNodes(search, inner, branch.otherwise)
}

function withVariables(scope: Scope, { variables, isAssignment }: Pipeline, kind: Kind): Scope {
  if (isAssignment) return scope
  return { ...scope, variables: variables.reduce((outer, name) => ({ name, kind, outer }), scope.variables) }
}

function kindOfVariable({ variables }: Scope, name: string): Kind {
  let binding: Binding | undefined = variables
  while (binding !== undefined && binding.name !== name) binding = binding.outer
  return binding?.kind ?? 'plain'
}

function refuseContext(search: Search, kind: Kind, { line }: { readonly line: number }): void {
  if (kind === 'context') search.found.push({ line, text: '.' })
}

/** Only a pipeline that is nothing but the context still is the context. */
function searchPipeline(search: Search, scope: Scope, pipeline: Pipeline): Kind {
  const kinds = pipeline.commands.map((command) => searchCommand(search, scope, command))
  for (const kind of kinds.slice(0, -1)) refuseContext(search, kind, pipeline)
  return kinds.at(-1) ?? 'plain'
}

function searchCommand(search: Search, scope: Scope, { first, rest }: Command): Kind {
  for (const operand of rest) refuseContext(search, searchOperand(search, scope, operand), operand)
  return searchOperand(search, scope, first)
}

function searchOperand(search: Search, scope: Scope, operand: Operand): Kind {
  switch (operand.kind) {
    case 'dot':
      return scope.dot
    case 'field':
      return searchPath(search, scope.dot, { ...operand, written: '' })
    case 'variable':
      return searchPath(search, kindOfVariable(scope, operand.name), {
        ...operand,
        written: operand.name,
      })
    case 'chain':
      return searchPath(search, searchOperand(search, scope, operand.operand), { ...operand, written: '(…)' })
    case 'pipeline':
      return searchPipeline(search, scope, operand.pipeline)
    case 'nil':
    case 'literal':
    case 'function':
      return 'plain'
  }
}

function searchPath(
  search: Search,
  kind: Kind,
  {
    path,
    line,
    written,
  }: { readonly path: readonly string[]; readonly line: number; readonly written: string },
): Kind {
  if (path.length === 0) return kind
  const [name = ''] = path
  const isAddress = path.length === 1 && (name === 'HostAddress' || name === 'NodeAddress')
  if (kind !== 'context' || !isAddress) {
    search.found.push({ line, text: shortText(`${written}.${path.join('.')}`, longestText) })
  }
  return 'plain'
}
