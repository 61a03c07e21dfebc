/** How one directive of `printf` wants its value. */
export interface Flags {
  /** At least this many runes; 0 for as many as it takes. */
  readonly width: number
  readonly precision: number | undefined
  readonly minus: boolean
  readonly plus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  /** `%#v`. */
  readonly goSyntax: boolean
  /** `%+v`. */
  readonly fieldNames: boolean
}

export const plainFlags: Flags = {
  width: 0,
  precision: undefined,
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  goSyntax: false,
  fieldNames: false,
}
