// What a word may be, given the variables so far.
import type { Parameter, Part, Statements, Word } from '../shell/syntax.ts'
import type { Argument } from './invocation.ts'
import type { Elements, Scope } from './scope.ts'
import {
  anything,
  either,
  joined,
  secret,
  secretsIn,
  something,
  token,
  unknown,
  withoutHoles,
  withoutForeignHoles,
  type Texts,
} from './text.ts'

export interface Evaluation {
  readonly scope: Scope
  /** Carries out a command substitution, and says what it may print. */
  readonly substitute: (body: Statements) => Texts
}

/** Of a variable, or of an action of a template. */
export function secretOf(text: string): string {
  if (/^KPSSH_SECRET_|\.Secrets\b/.test(text)) return secret
  return /^KPSSH_BOOTSTRAP_TOKEN$|\.BootstrapToken\b/.test(text) ? token : anything
}

/** One argument for each word, but as many as there are elements for `"$@"` and the like. */
export function evaluateWords(evaluation: Evaluation, words: readonly Word[]): readonly Argument[] {
  return words.flatMap((word) => {
    const elements = elementsOf(evaluation, word)
    if (elements !== undefined) return elements.map((texts) => ({ texts, word }))
    const argument = evaluateWord(evaluation, word)
    return isSplit(word) ? splitAtBlanks(argument) : [argument]
  })
}

export function evaluateWord(evaluation: Evaluation, word: Word): Argument {
  return { texts: evaluateParts(evaluation, word.parts), word }
}

/** The elements of an array literal; undefined for any other value. */
export function arrayElements(evaluation: Evaluation, { parts }: Word): Elements | undefined {
  const array = parts.find((part) => part.kind === 'array')
  return array && evaluateWords(evaluation, array.words).map(({ texts }) => texts)
}

export function evaluateParts(evaluation: Evaluation, parts: readonly Part[]): Texts {
  return parts.reduce<Texts>((texts, part) => joined(texts, evaluatePart(evaluation, part)), [''])
}

/** Of a word that is nothing but all elements of something. */
function elementsOf({ scope }: Evaluation, word: Word): Elements | undefined {
  const part = onlyParameter(word)
  if (part === undefined || part.prefix !== '') return undefined
  if (part.name === '@' || part.name === '*') return positionalFrom(scope, part)
  const isWhole = part.operator === '' && (part.subscript === '@' || part.subscript === '*')
  return isWhole ? scope.get(part.name) : undefined
}

function onlyParameter({ parts: [first, second] }: Word): Parameter | undefined {
  const part = first?.kind === 'quoted' && first.parts.length === 1 ? first.parts[0] : first
  return second === undefined && part?.kind === 'parameter' ? part : undefined
}

/** `"$@"`, and `"${@:2}"` where the number is written out. */
function positionalFrom(scope: Scope, { operator, argument }: Parameter): Elements | undefined {
  if (operator === '') return scope.positional
  const [part] = argument
  if (operator !== ':' || part?.kind !== 'text' || !/^[1-9]\d*$/.test(part.text)) return undefined
  return scope.positional.slice(Number(part.text) - 1)
}

function isSplit({ parts }: Word): boolean {
  const [part] = parts
  return parts.length === 1 && part?.kind === 'parameter'
}

/** The first words of all that it may be, then the second ones, and so on. */
function splitAtBlanks({ texts, word }: Argument): readonly Argument[] {
  const alternatives = texts.map((text) => text.trim().split(/\s+/))
  const count = Math.max(...alternatives.map((words) => words.length))
  return Array.from({ length: count }, (_, index) => ({
    texts: either([alternatives.flatMap((words) => words.slice(index, index + 1))]),
    word,
  }))
}

function evaluatePart(evaluation: Evaluation, part: Part): Texts {
  switch (part.kind) {
    case 'text':
      return [withoutForeignHoles(part.text)]
    case 'quoted':
      return evaluateParts(evaluation, part.parts)
    case 'parameter':
      return evaluateParameter(evaluation, part)
    case 'substitution':
      return evaluation.substitute(part.body)
    case 'arithmetic':
      evaluateParts(evaluation, part.parts)
      return [something]
    case 'array':
      return either(evaluateWords(evaluation, part.words).map(({ texts }) => texts))
    case 'template':
      return [secretOf(part.text)]
  }
}

function evaluateParameter(evaluation: Evaluation, parameter: Parameter): Texts {
  const argument = evaluateParts(evaluation, parameter.argument)
  if (parameter.prefix === '#') return [something]
  if (parameter.prefix === '!') return unknown
  const texts = valueOf(evaluation.scope, parameter)
  const expand = Object.hasOwn(operators, parameter.operator) ? operators[parameter.operator] : undefined
  if (expand !== undefined) return expand(texts, argument)
  return [secretsIn(texts) || anything]
}

const operators: Readonly<Partial<Record<string, (texts: Texts, argument: Texts) => Texts>>> = {
  '': (texts) => texts,
  '-': orElse,
  '=': orElse,
  ':-': orElse,
  ':=': orElse,
  '+': (_texts, argument) => either([[''], argument]),
  ':+': (_texts, argument) => either([[''], argument]),
  '?': certainly,
  ':?': certainly,
}

function orElse(texts: Texts, argument: Texts): Texts {
  const mayBeEmpty = texts.some((text) => withoutHoles(text) === '' && !text.includes(something))
  return mayBeEmpty ? either([notEmpty(texts), argument]) : texts
}

function notEmpty(texts: Texts): Texts {
  return texts.filter((text) => text !== '')
}

/** Where it is empty the script ends. */
function certainly(texts: Texts): Texts {
  return notEmpty(texts).map((text) => text.replaceAll(anything, something))
}

function valueOf(scope: Scope, { name }: Parameter): Texts {
  if (/^[1-9]/.test(name)) return scope.positional[Number(name) - 1] ?? ['']
  if (name === '@' || name === '*') return either(scope.positional)
  if (!/^[A-Za-z_]/.test(name)) return [something]
  const known = scope.get(name)
  if (known !== undefined) return either(known)
  return [secretOf(name)]
}
