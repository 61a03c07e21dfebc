/** OpenSSH's lists of patterns: `*` and `?`, commas, and `!` before what must not match. */
export function matchesPatternList(text: string, list: string): boolean {
  let isListed = false
  for (const entry of list.split(',')) {
    const isNegated = entry.startsWith('!')
    if (!matchesPattern(text, isNegated ? entry.slice(1) : entry)) continue
    if (isNegated) return false
    isListed = true
  }
  return isListed
}

/** Goes back to the last star alone: steps grow with the one length times the other, no faster. */
function matchesPattern(text: string, pattern: string): boolean {
  let [at, place] = [0, 0]
  let [star, resumed] = [-1, 0]
  while (at < text.length) {
    if (pattern[place] === '*') {
      star = place
      resumed = at
      place += 1
    } else if (place < pattern.length && (pattern[place] === '?' || pattern[place] === text[at])) {
      at += 1
      place += 1
    } else if (star >= 0) {
      resumed += 1
      at = resumed
      place = star + 1
    } else {
      return false
    }
  }
  return /^\**$/.test(pattern.slice(place))
}
