import { runeCount, type ByteString } from './bytes.ts'
import type { Flags } from './flags.ts'

/** Fills up to the width, on the left unless the flags say otherwise. Width counts runes. */
export function padded(
  bytes: ByteString,
  { width, minus, zero }: Pick<Flags, 'width' | 'minus' | 'zero'>,
): ByteString {
  const padding = (zero ? '0' : ' ').repeat(Math.max(0, width - runeCount(bytes)))
  return minus ? bytes + padding : padding + bytes
}
