import { printableLine } from '../execution/printable.ts'

export interface Column<T> {
  readonly title: string
  readonly text: (row: T) => string
}

/** Leaves out columns from the right until a line fits into `width`, if there is one. */
export function renderTable<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number | undefined,
): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ text }) => printableLine(text(row)))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => (line[index] ?? '').length)))
  const count = fitting(widths, width ?? Infinity)
  return cells
    .map((line) => line.slice(0, count).map((cell, index) => cell.padEnd(widths[index] ?? 0)))
    .map((line) => `${line.join('  ').trimEnd()}\n`)
    .join('')
}

function fitting(widths: readonly number[], width: number): number {
  let used = 0
  for (const [index, columnWidth] of widths.entries()) {
    used += columnWidth + (index > 0 ? 2 : 0)
    if (used > width && index > 0) return index
  }
  return widths.length
}
