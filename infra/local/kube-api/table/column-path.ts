// The JSONPath of printer columns: fields, quoted or escaped names, indexes, and one kind of filter.
import { isList, isRecord } from '../json.ts'

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly field: readonly string[]; readonly value: string }

const patterns = {
  field: /^\.?((?:\\.|[^.[\]\\])+)/,
  quoted: /^\.?\[(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\]/,
  index: /^\.?\[(-?\d+|\*)\]/,
  filter: /^\.?\[\?\(@\.([\w.-]+)\s*==\s*(?:'([^']*)'|"([^"]*)")\)\]/,
}

/** undefined for a path that printer columns cannot have. */
export function readColumnPath(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let rest = text.trim().replace(/^\{(.*)\}$/, '$1')
  while (rest !== '' && rest !== '.') {
    const found = nextStep(rest)
    if (!found) return undefined
    steps.push(found.step)
    rest = rest.slice(found.length)
  }
  return steps
}

function nextStep(rest: string): { readonly step: Step; readonly length: number } | undefined {
  const filter = patterns.filter.exec(rest)
  if (filter) {
    const [matched, field = '', single, double = ''] = filter
    return {
      step: { kind: 'filter', field: field.split('.'), value: single ?? double },
      length: matched.length,
    }
  }
  const index = patterns.index.exec(rest)
  if (index) {
    const [matched, number = '*'] = index
    const step: Step = number === '*' ? { kind: 'all' } : { kind: 'index', index: Number(number) }
    return { step, length: matched.length }
  }
  const field = patterns.quoted.exec(rest) ?? patterns.field.exec(rest)
  if (!field) return undefined
  const [matched, first, second] = field
  return {
    step: { kind: 'field', name: (first ?? second ?? '').replaceAll(/\\(.)/g, '$1') },
    length: matched.length,
  }
}

/** The first value at the path; undefined where there is none. */
export function readColumn(object: unknown, steps: readonly Step[]): unknown {
  return steps.reduce<readonly unknown[]>(
    (values, step) => values.flatMap((value) => below(value, step)),
    [object],
  )[0]
}

function below(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case 'field':
      return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : []
    case 'index':
      return isList(value) ? value.slice(step.index).slice(0, 1) : []
    case 'all':
      return isList(value) ? value : isRecord(value) ? Object.values(value) : []
    case 'filter':
      return isList(value)
        ? value.filter((item) =>
            step.field
              .reduce<readonly unknown[]>(
                (found, name) => found.flatMap((one) => below(one, { kind: 'field', name })),
                [item],
              )
              .some((found) => String(found) === step.value),
          )
        : []
  }
}
