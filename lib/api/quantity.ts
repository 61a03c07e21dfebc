import { z } from 'zod'

/** A Kubernetes quantity as text; an integer from YAML becomes its text. */
export const Quantity = z.union([z.string(), z.int()]).transform(String)
export type Quantity = string
