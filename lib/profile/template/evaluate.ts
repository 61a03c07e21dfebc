// Pipelines and their operands. Each command gets the value of the one before it as its last argument.
import { toBytes } from './bytes.ts'
import { callFunction } from './functions.ts'
import type { Command, FunctionName, Operand, Pipeline } from './nodes.ts'
import { TemplateFault } from './template-fault.ts'
import { isTrue, nil, typeOf, type Value } from './values.ts'
import type { Work } from './work.ts'

/** Where an operand is evaluated: dot and the variables in sight, innermost last. */
export interface Frame {
  readonly dot: Value
  readonly variables: { name: string; value: Value }[]
  readonly work: Work
}

/** undefined: there is no value before this command. */
type Final = Value | undefined

export function evaluatePipeline(frame: Frame, pipeline: Pipeline): Value {
  let value: Final
  for (const command of pipeline.commands) {
    frame.work.step(pipeline.line)
    value = evaluateCommand(frame, command, value)
  }
  const result = value ?? nil
  for (const name of pipeline.variables) {
    if (pipeline.isAssignment) assign(frame, { name, value: result, line: pipeline.line })
    else frame.variables.push({ name, value: result })
  }
  return result
}

function assign(
  frame: Frame,
  { name, value, line }: { readonly name: string; readonly value: Value; readonly line: number },
): void {
  const variable = frame.variables.findLast((candidate) => candidate.name === name)
  if (variable === undefined) throw new TemplateFault('exec', line, `variable "${name}" is not defined`)
  variable.value = value
}

function evaluateCommand(frame: Frame, { first, rest }: Command, final: Final): Value {
  if (first.kind === 'function') return evaluateCall(frame, first, { rest, final })
  if (first.kind === 'nil') throw new TemplateFault('exec', first.line, 'nil is not a command')
  if (rest.length > 0 || final !== undefined) {
    // Fields and maps are looked at first, so that a missing key is named as such.
    evaluateOperand(frame, first)
    throw new TemplateFault('exec', first.line, 'only functions take arguments')
  }
  return evaluateOperand(frame, first)
}

function evaluateOperand(frame: Frame, operand: Operand): Value {
  frame.work.step(operand.line)
  switch (operand.kind) {
    case 'dot':
      return frame.dot
    case 'nil':
      return nil
    case 'literal':
      if (operand.value !== 'overflow') return operand.value
      throw new TemplateFault('exec', operand.line, 'the number overflows int')
    case 'field':
      return fieldOf(frame.dot, operand)
    case 'variable':
      return fieldOf(variableValue(frame, operand), operand)
    case 'function':
      return evaluateCall(frame, operand, { rest: [], final: undefined })
    case 'pipeline':
      return evaluatePipeline(frame, operand.pipeline)
    case 'chain':
      return fieldOf(evaluateOperand(frame, operand.operand), operand)
  }
}

function variableValue(frame: Frame, { name, line }: Extract<Operand, { kind: 'variable' }>): Value {
  const variable = frame.variables.findLast((candidate) => candidate.name === name)
  if (variable === undefined) throw new TemplateFault('exec', line, `variable "${name}" is not defined`)
  return variable.value
}

function fieldOf(
  receiver: Value,
  { path, line }: { readonly path: readonly string[]; readonly line: number },
): Value {
  let value = receiver
  for (const name of path) value = oneField(value, name, line)
  return value
}

function oneField(value: Value, name: string, line: number): Value {
  if (value.kind === 'context') {
    const field = value.fields.get(name)
    if (field !== undefined) return field
  } else if (value.kind === 'map') {
    const entry = value.entries.get(toBytes(name))
    if (entry !== undefined) return { kind: 'string', bytes: entry }
    throw new TemplateFault('exec', line, `the map has no entry for key "${name}"`)
  }
  throw new TemplateFault('exec', line, `there is no field ${name} in a value of type ${typeOf(value)}`)
}

interface Arguments {
  readonly rest: readonly Operand[]
  readonly final: Final
}

function evaluateCall(
  frame: Frame,
  { name, line }: { readonly name: FunctionName; readonly line: number },
  { rest, final }: Arguments,
): Value {
  if (name === 'and' || name === 'or') return shortCircuit(frame, { name, line }, { rest, final })
  const values = rest.map((operand) => evaluateOperand(frame, operand))
  if (final !== undefined) values.push(final)
  return callFunction({ name, line, work: frame.work }, values)
}

/** Evaluates no more arguments than it needs. */
function shortCircuit(
  frame: Frame,
  { name, line }: { readonly name: 'and' | 'or'; readonly line: number },
  { rest, final }: Arguments,
): Value {
  let value: Final
  for (const operand of rest) {
    value = evaluateOperand(frame, operand)
    if (isTrue(value) === (name === 'or')) return value
  }
  const result = final ?? value
  if (result === undefined) throw new TemplateFault('exec', line, `${name} needs an argument`)
  return result
}
