// The format language of `printf`: directives, flags, widths and argument numbers. What is wrong in a format does not
// fail, it is written into the output: `%!d(string=x)`.
import { runeAt, encodeRune, type ByteString } from './bytes.ts'
import { formatValue } from './format-value.ts'
import { plainFlags, type Flags } from './flags.ts'
import { typeOf, type Value } from './values.ts'
import type { Work } from './work.ts'

const largestNumber = 1_000_000

interface Printing {
  readonly format: ByteString
  readonly values: readonly Value[]
  position: number
  /** The next value to print. */
  next: number
  /** An argument number was used somewhere: unused values are then no mistake. */
  isReordered: boolean
}

export function sprintf(
  format: ByteString,
  values: readonly Value[],
  { work, line }: { readonly work: Work; readonly line: number },
): ByteString {
  const printing: Printing = { format, values, position: 0, next: 0, isReordered: false }
  const parts: ByteString[] = []
  let length = 0
  const write = (bytes: ByteString) => {
    parts.push(bytes)
    length += bytes.length
    // Two widths of a million are one line of template.
    if (length > work.limits.outputBytes) work.made(' '.repeat(work.limits.outputBytes + 1), line)
  }
  while (printing.position < format.length) {
    const percent = format.indexOf('%', printing.position)
    write(format.slice(printing.position, percent < 0 ? format.length : percent))
    if (percent < 0) break
    printing.position = percent + 1
    write(directive(printing))
  }
  write(unusedValues(printing))
  return parts.join('')
}

function unusedValues({ isReordered, next, values }: Printing): ByteString {
  if (isReordered || next >= values.length) return ''
  const unused = values
    .slice(next)
    .map((value) =>
      value.kind === 'nil' ? '<nil>' : `${typeOf(value)}=${formatValue(value, 'v', plainFlags)}`,
    )
  return `%!(EXTRA ${unused.join(', ')})`
}

interface Size {
  readonly value: number
  readonly isPresent: boolean
  /** What a bad `*` leaves in the output. */
  readonly complaint: string
}
const noSize: Size = { value: 0, isPresent: false, complaint: '' }

function directive(printing: Printing): ByteString {
  const flags = takeFlags(printing)
  const numbered = takeArgumentNumber(printing)
  const width = takeWidth(printing, numbered)
  const precision = takePrecision(printing, width.isArgumentNumberLast)
  const last = precision.isArgumentNumberLast
    ? { isGood: true, isFound: false }
    : takeArgumentNumber(printing)
  const complaints = width.size.complaint + precision.size.complaint
  const isGood = numbered.isGood && width.isGood && precision.isGood && last.isGood
  const minus = flags.minus || width.size.value < 0
  return (
    complaints +
    verbOutput(printing, isGood, {
      ...flags,
      minus,
      zero: flags.zero && !minus,
      width: width.size.isPresent ? Math.abs(width.size.value) : 0,
      precision: precision.size.isPresent ? precision.size.value : undefined,
    })
  )
}

function verbOutput(printing: Printing, isGood: boolean, flags: Flags): ByteString {
  const { format, values } = printing
  if (printing.position >= format.length) return '%!(NOVERB)'
  const { code, size } = runeAt(format, printing.position)
  printing.position += size
  const verb = encodeRune(code)
  if (verb === '%') return '%'
  if (!isGood) return `%!${verb}(BADINDEX)`
  const value = values[printing.next]
  if (value === undefined) return `%!${verb}(MISSING)`
  printing.next += 1
  return formatValue(value, verb, verb === 'v' ? withValueFlags(flags) : flags)
}

/** With %v, `#` asks for Go syntax and `+` for field names. */
function withValueFlags(flags: Flags): Flags {
  return { ...flags, goSyntax: flags.sharp, fieldNames: flags.plus, sharp: false, plus: false }
}

const flagNames: Readonly<Record<string, 'sharp' | 'plus' | 'space' | 'minus' | 'zero'>> = {
  '#': 'sharp',
  '+': 'plus',
  ' ': 'space',
  '-': 'minus',
  '0': 'zero',
}

function takeFlags(printing: Printing): Flags {
  let flags: Flags = plainFlags
  for (;;) {
    const name = flagNames[printing.format[printing.position] ?? '']
    if (name === undefined) return { ...flags, zero: flags.zero && !flags.minus }
    flags = { ...flags, [name]: true }
    printing.position += 1
  }
}

interface Numbered {
  readonly isFound: boolean
  readonly isGood: boolean
}

/** `[2]`: the value that the next size or verb takes. */
function takeArgumentNumber(printing: Printing): Numbered {
  const { format, position, values } = printing
  if (format[position] !== '[') return { isFound: false, isGood: true }
  printing.isReordered = true
  const end = format.indexOf(']', position)
  if (end < 0) {
    printing.position += 1
    return { isFound: false, isGood: false }
  }
  const text = format.slice(position + 1, end)
  printing.position = end + 1
  const index = /^[0-9]{1,7}$/.test(text) ? Number(text) - 1 : undefined
  if (index === undefined) return { isFound: false, isGood: false }
  const isGood = index >= 0 && index < values.length
  if (isGood) printing.next = index
  return { isFound: true, isGood }
}

interface TakenSize {
  readonly size: Size
  readonly isGood: boolean
  readonly isArgumentNumberLast: boolean
}

function takeWidth(printing: Printing, numbered: Numbered): TakenSize {
  if (printing.format[printing.position] === '*') {
    const size = takeSizeFromValues(printing)
    return {
      size: { ...size, complaint: size.isPresent ? '' : '%!(BADWIDTH)' },
      isGood: true,
      isArgumentNumberLast: false,
    }
  }
  const size = takeDigits(printing)
  return { size, isGood: !(numbered.isFound && size.isPresent), isArgumentNumberLast: numbered.isFound }
}

function takePrecision(printing: Printing, isAfterNumber: boolean): TakenSize {
  const { format } = printing
  if (format[printing.position] !== '.' || printing.position + 1 >= format.length) {
    return { size: noSize, isGood: true, isArgumentNumberLast: isAfterNumber }
  }
  printing.position += 1
  const numbered = takeArgumentNumber(printing)
  const isGood = numbered.isGood && !isAfterNumber
  if (format[printing.position] !== '*') {
    const { value } = takeDigits(printing)
    return { size: { ...noSize, value, isPresent: true }, isGood, isArgumentNumberLast: numbered.isFound }
  }
  const { value, isPresent } = takeSizeFromValues(printing)
  const isUsable = isPresent && value >= 0
  return {
    size: { value: isUsable ? value : 0, isPresent: isUsable, complaint: isUsable ? '' : '%!(BADPREC)' },
    isGood,
    isArgumentNumberLast: false,
  }
}

function takeSizeFromValues(printing: Printing): Size {
  printing.position += 1
  const value = printing.values[printing.next]
  if (value === undefined) return noSize
  printing.next += 1
  const isNumber = value.kind === 'int' || value.kind === 'uint8'
  const number = isNumber ? Number(value.value) : NaN
  return Math.abs(number) <= largestNumber ? { ...noSize, value: number, isPresent: true } : noSize
}

function takeDigits(printing: Printing): Size {
  const digits = /[0-9]*/y
  digits.lastIndex = printing.position
  const text = digits.exec(printing.format)?.[0] ?? ''
  if (Number(text.slice(0, -1)) > largestNumber) {
    // Go gives up on the rest of the format.
    printing.position = printing.format.length
    return noSize
  }
  printing.position += text.length
  return { ...noSize, value: Number(text), isPresent: text !== '' }
}
