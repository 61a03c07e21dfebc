// How one text becomes another, line by line, as `diff` shows it.

export interface DiffLine {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** Beyond this many comparisons the middle is shown as wholly replaced. */
const mostComparisons = 4_000_000

export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const middle = diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail))
  return [
    ...marked(' ', before.slice(0, head)),
    ...middle,
    ...marked(' ', before.slice(before.length - tail)),
  ]
}

function marked(mark: DiffLine['mark'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }))
}

/** By the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length * after.length > mostComparisons) return [...marked('-', before), ...marked('+', after)]
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  return walk(before, after, at)
}

function walk(
  before: readonly string[],
  after: readonly string[],
  commonFrom: (row: number, column: number) => number,
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const old = before[row]
    const now = after[column]
    if (old !== undefined && old === now) {
      lines.push({ mark: ' ', text: old })
      row += 1
      column += 1
    } else if (
      old !== undefined &&
      (now === undefined || commonFrom(row + 1, column) >= commonFrom(row, column + 1))
    ) {
      lines.push({ mark: '-', text: old })
      row += 1
    } else {
      lines.push({ mark: '+', text: now ?? '' })
      column += 1
    }
  }
  return lines
}

/** Only what differs, with a line around it; `…` stands for what is left out. */
export function shortDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  const lines = diffLines(before, after)
  const isNear = (index: number): boolean =>
    [-1, 0, 1].some((offset) => (lines[index + offset]?.mark ?? ' ') !== ' ')
  const shown: string[] = []
  lines.forEach(({ mark, text }, index) => {
    if (isNear(index)) shown.push(`${mark} ${text}`.trimEnd())
    else if (shown.length > 0 && shown.at(-1) !== '…') shown.push('…')
  })
  if (shown.at(-1) === '…') shown.pop()
  return shown
}
