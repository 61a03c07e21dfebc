import { z } from 'zod'
import { Quantity } from './quantity.ts'

/** Resource name to quantity text: `{cpu: '4', memory: '8Gi'}`. */
export const ResourceList = z.record(z.string(), Quantity)
export type ResourceList = Readonly<Record<string, string>>
