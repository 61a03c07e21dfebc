// Answers are believed only behind a marker that nobody could have known before the contact.
import type { Random } from '../ambient/ports.ts'

export function newMarker(random: Random): string {
  const parts = Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  )
  return `kpssh-${parts.join('')}`
}
