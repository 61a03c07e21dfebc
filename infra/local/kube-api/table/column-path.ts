// The JSONPath of printer columns: fields, quoted or escaped names, indexes, and one kind of filter.
import { isRecord, listOf, printed, valueAt } from '../json.ts'

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly field: readonly string[]; readonly value: string }

const steps: readonly { readonly pattern: RegExp; readonly read: (found: RegExpExecArray) => Step }[] = [
  {
    pattern: /^\.?\[\?\(@\.([\w.-]+)\s*==\s*(?:'([^']*)'|"([^"]*)")\)\]/,
    read: ([, field = '', single, double = '']) => ({
      kind: 'filter',
      field: field.split('.'),
      value: single ?? double,
    }),
  },
  { pattern: /^\.?\[\*\]/, read: () => ({ kind: 'all' }) },
  { pattern: /^\.?\[(-?\d+)\]/, read: ([, index = '0']) => ({ kind: 'index', index: Number(index) }) },
  { pattern: /^\.?\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/, read: fieldStep },
  { pattern: /^\.?((?:\\.|[^.[\]\\])+)/, read: fieldStep },
]

function fieldStep([, first, second = '']: RegExpExecArray): Step {
  return { kind: 'field', name: (first ?? second).replaceAll(/\\(.)/g, '$1') }
}

/** undefined for a path that printer columns cannot have. */
export function readColumnPath(text: string): readonly Step[] | undefined {
  const path: Step[] = []
  let rest = text.trim().replace(/^\{(.*)\}$/, '$1')
  while (rest !== '' && rest !== '.') {
    const found = nextStep(rest)
    if (!found) return undefined
    path.push(found.step)
    rest = rest.slice(found.length)
  }
  return path
}

function nextStep(rest: string): { readonly step: Step; readonly length: number } | undefined {
  for (const { pattern, read } of steps) {
    const found = pattern.exec(rest)
    if (found) return { step: read(found), length: found[0].length }
  }
  return undefined
}

/** The first value at the path; undefined where there is none. */
export function readColumn(object: unknown, path: readonly Step[]): unknown {
  return path.reduce<readonly unknown[]>(
    (values, step) => values.flatMap((value) => below(value, step)),
    [object],
  )[0]
}

function below(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : []
    case 'index':
      return listOf(value).slice(step.index).slice(0, 1)
    case 'all':
      return isRecord(value) ? Object.values(value) : listOf(value)
    case 'filter':
      return listOf(value).filter((item) => printed(valueAt(item, step.field)) === step.value)
  }
}
