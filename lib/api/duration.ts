import { z } from 'zod'

/** Whole hours, minutes and seconds: `90s`, `10m`, `1h30m`. */
export const Duration = z.string().regex(/^([0-9]+(s|m|h))+$/)
export type Duration = string
