// `# kpssh-lint: allow RULE -- REASON` on a line of commands, or alone above it, allows it what the rule finds there.
import type { Problem } from '../problem.ts'
import type { LintScript } from './rule.ts'
import type { Comment } from './shell/syntax.ts'

export interface Allowance {
  readonly rule: string
  readonly reason: string
  /** Where it is written. */
  readonly line: number
  /** The lines that it is about, both included. */
  readonly from: number
  readonly to: number
}

/** A finding about an allowance itself; it cannot be allowed. */
export interface AllowanceRule {
  readonly name: string
  readonly severity: Problem['severity']
  readonly explanation: string
  readonly fix: string
}

export const allowWithoutReason: AllowanceRule = {
  name: 'AllowWithoutReason',
  severity: 'warning',
  explanation:
    'Whoever reads the script later must know why this is right here. Without a reason nothing is allowed.',
  fix: 'Write `# kpssh-lint: allow RuleName -- why it is right here`.',
}

export const allowUnknown: AllowanceRule = {
  name: 'AllowUnknown',
  severity: 'warning',
  explanation: 'There is no such rule, or the comment is not one that lint understands: it allows nothing.',
  fix: 'Write `# kpssh-lint: allow RuleName -- why it is right here`, with the name that the finding shows.',
}

export const allowUnused: AllowanceRule = {
  name: 'AllowUnused',
  severity: 'warning',
  explanation: 'The rule finds nothing there any more; the next thing that it finds would go unnoticed.',
  fix: 'Delete the comment.',
}

/** In the order of the table. */
export const allowanceRules: readonly AllowanceRule[] = [allowWithoutReason, allowUnknown, allowUnused]

const directive = /^\s*kpssh-lint\b:?\s*(.*)$/
const allow = /^allow\s+([A-Za-z]+)\s*(?:--+\s*(.*))?$/

export function allowancesOf({ program, text }: Pick<LintScript, 'program' | 'text'>): readonly Allowance[] {
  const lines = text.split('\n')
  return program.comments.flatMap((comment) => {
    const written = directive.exec(comment.text)?.[1]
    if (written === undefined) return []
    const [, rule = '', reason = ''] = allow.exec(written.trim()) ?? []
    const line = comment.isAlone ? nextCommand(comment, lines) : comment.line
    return [
      { rule, reason: reason.trim(), line: comment.line, ...linesAround(program.starts, line, lines.length) },
    ]
  })
}

/** Several allowances may stand above the same line. */
function nextCommand({ line }: Comment, lines: readonly string[]): number {
  let next = line + 1
  while (next < lines.length && /^\s*(?:#|$)/.test(lines[next - 1] ?? '')) next += 1
  return next
}

/** A command that goes on over several lines, with its heredocs, is one. */
function linesAround(
  starts: readonly number[],
  line: number,
  last: number,
): { readonly from: number; readonly to: number } {
  const from = starts.findLast((start) => start <= line) ?? line
  const next = starts.find((start) => start > line) ?? last + 1
  return { from, to: next - 1 }
}
