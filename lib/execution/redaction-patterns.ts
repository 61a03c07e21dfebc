// What a host looks for in what a script prints: every form of a secret, in whole lines, so that one of several lines is looked
// for line by line.
import { redactionForms } from '../profile/redaction-forms.ts'

/** Below this length a value is only taken for a secret where it stands alone. */
const shortestAnywhere = 8
/** Below this length a line of a longer value says too little to be worth hiding. */
const shortestPart = 4

export interface RedactionPatterns {
  /** Replaced wherever they occur, longest first. */
  readonly anywhere: readonly string[]
  /** Replaced where no letter, digit or underscore touches them. */
  readonly words: readonly string[]
  /** A line that holds none of these holds nothing of the above: most lines are done with at that. */
  readonly hints: readonly string[]
}

/** Long enough to be rare, short enough that the forms of one value share them. */
const hintLength = 8

export function redactionPatterns(secrets: readonly string[]): RedactionPatterns {
  const lines = redactionForms(secrets).flatMap(({ bytes }) => {
    const form = Buffer.from(bytes, 'latin1').toString()
    const parts = form.split(/\r?\n/)
    return parts.length < 2 ? [form] : parts.filter((part) => part.trim().length >= shortestPart)
  })
  const isLong = (line: string) => line.length >= shortestAnywhere
  const all = [...new Set(lines)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  return { anywhere: all.filter(isLong), words: all.filter((line) => !isLong(line)), hints: hintsOf(all) }
}

function hintsOf(lines: readonly string[]): readonly string[] {
  const beginnings = [
    ...new Set(lines.map((line) => line.slice(0, hintLength).replace(/[\uD800-\uDBFF]$/, ''))),
  ]
  return beginnings.filter((hint) => !beginnings.some((other) => other !== hint && hint.includes(other)))
}
