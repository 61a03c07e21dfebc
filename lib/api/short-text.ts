/** The beginning of a text, at most so many UTF-16 units, behind which an ellipsis says that something is missing. */
export function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
