// Walks the syntax tree and writes the text. A key that a map does not have is a failure (`missingkey=error`).
import type { ByteString } from './bytes.ts'
import { evaluatePipeline, type Frame } from './evaluate.ts'
import { printed } from './format-value.ts'
import type { Branch, Node, Pipeline, SyntaxTree } from './nodes.ts'
import { TemplateFault } from './template-fault.ts'
import { intValue, isTrue, nil, stringValue, typeOf, type Value } from './values.ts'
import { makeWork, type Limits, type Work } from './work.ts'

/** How a list of nodes ended: at its end, or by a jump that the nearest range takes. */
type Ending = 'done' | 'break' | 'continue'

interface Execution {
  readonly templates: SyntaxTree['templates']
  readonly work: Work
  readonly write: (bytes: ByteString, line: number) => void
}

/** Throws TemplateFault. */
export function execute(tree: SyntaxTree, data: Value, limits: Limits): ByteString {
  const parts: ByteString[] = []
  let length = 0
  const execution: Execution = {
    templates: tree.templates,
    work: makeWork(limits),
    write(bytes, line) {
      parts.push(bytes)
      length += bytes.length
      if (length > limits.outputBytes) {
        throw new TemplateFault('exec', line, `writes more than ${limits.outputBytes} bytes`)
      }
    },
  }
  walk(execution, newFrame(execution, data), tree.templates.get(tree.name) ?? [])
  return parts.join('')
}

/** A template sees its argument, as dot and as `$`, and no variables of its caller. */
function newFrame({ work }: Execution, dot: Value): Frame {
  return { dot, variables: [{ name: '$', value: dot }], work }
}

function walk(execution: Execution, frame: Frame, nodes: readonly Node[]): Ending {
  for (const node of nodes) {
    const ending = walkNode(execution, frame, node)
    if (ending !== 'done') return ending
  }
  return 'done'
}

function walkNode(execution: Execution, frame: Frame, node: Node): Ending {
  switch (node.kind) {
    case 'text':
      execution.write(node.bytes, node.line)
      return 'done'
    case 'action':
      writeAction(execution, frame, node.pipeline)
      return 'done'
    case 'if':
    case 'with':
    case 'range':
      return walkBranch(execution, frame, node)
    case 'template':
      return callTemplate(execution, frame, node)
    case 'break':
    case 'continue':
      return node.kind
  }
}

/** An action that sets a variable writes nothing. */
function writeAction(execution: Execution, frame: Frame, pipeline: Pipeline): void {
  const value = evaluatePipeline(frame, pipeline)
  if (pipeline.variables.length > 0) return
  execution.write(execution.work.made(printed(value), pipeline.line), pipeline.line)
}

function walkBranch(execution: Execution, frame: Frame, branch: Branch): Ending {
  const { work } = execution
  const mark = frame.variables.length
  work.enter(branch.pipeline.line)
  const value = evaluatePipeline(frame, branch.pipeline)
  const ending =
    branch.kind === 'range'
      ? walkRange(execution, frame, { branch, value })
      : walkChoice(execution, frame, { branch, value })
  work.leave()
  frame.variables.length = mark
  return ending
}

interface Choice {
  readonly branch: Branch
  readonly value: Value
}

function walkChoice(execution: Execution, frame: Frame, { branch, value }: Choice): Ending {
  if (!isTrue(value)) return walk(execution, frame, branch.otherwise)
  return walk(execution, branch.kind === 'with' ? { ...frame, dot: value } : frame, branch.body)
}

function walkRange(execution: Execution, frame: Frame, { branch, value }: Choice): Ending {
  const mark = frame.variables.length
  let isEmpty = true
  for (const { key, element } of elementsOf(value, branch.pipeline)) {
    isEmpty = false
    execution.work.step(branch.pipeline.line)
    setRangeVariables(frame, branch.pipeline, { key, element })
    const ending = walk(execution, { ...frame, dot: element }, branch.body)
    frame.variables.length = mark
    if (ending === 'break') break
  }
  return isEmpty ? walk(execution, frame, branch.otherwise) : 'done'
}

interface Element {
  readonly key: Value
  readonly element: Value
}

function* elementsOf(value: Value, { line, variables }: Pipeline): Generator<Element> {
  switch (value.kind) {
    case 'map':
      for (const [key, element] of value.entries)
        yield { key: stringValue(key), element: stringValue(element) }
      return
    case 'nil':
      return
    case 'int':
    case 'uint8':
      if (variables.length > 1) {
        throw new TemplateFault('exec', line, 'a range over a number sets one variable, not two')
      }
      for (let index = 0; index < value.value; index += 1) {
        yield {
          key: nil,
          element: value.kind === 'int' ? intValue(index) : { kind: 'uint8', value: BigInt(index) },
        }
      }
      return
    case 'bool':
    case 'float':
    case 'complex':
    case 'string':
    case 'context':
      throw new TemplateFault('exec', line, `cannot range over a value of type ${typeOf(value)}`)
  }
}

/** One variable takes the element; of two, the first takes the key. */
function setRangeVariables(
  frame: Frame,
  { variables, isAssignment }: Pipeline,
  { key, element }: Element,
): void {
  const values = variables.length > 1 ? [key, element] : [element]
  for (const [index, name] of variables.entries()) {
    const value = values[index] ?? nil
    const position = isAssignment
      ? frame.variables.findLastIndex((variable) => variable.name === name)
      : frame.variables.length - variables.length + index
    frame.variables[position] = { name, value }
  }
}

function callTemplate(
  execution: Execution,
  frame: Frame,
  { name, line, pipeline }: Extract<Node, { kind: 'template' }>,
): Ending {
  const { work, templates } = execution
  const body = templates.get(name)
  if (body === undefined) throw new TemplateFault('exec', line, `template "${name}" is not defined`)
  work.step(line)
  const argument = pipeline === undefined ? nil : evaluatePipeline(frame, pipeline)
  work.enter(line)
  walk(execution, newFrame(execution, argument), body)
  work.leave()
  return 'done'
}
