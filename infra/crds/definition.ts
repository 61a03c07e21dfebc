// What a CustomResourceDefinition says besides its schema.
import type { z } from 'zod'

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'date' | 'integer'
  readonly jsonPath: string
  readonly description?: string
  /** Above 0: shown by `kubectl get -o wide` alone. */
  readonly priority?: number
}

export interface Definition {
  /** File below infra/crds. */
  readonly file: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly description: string
  readonly columns: readonly PrinterColumn[]
  readonly spec: z.ZodType
  /** Makes `spec` a required field. */
  readonly isSpecRequired?: boolean
  /** Its presence makes status a subresource. */
  readonly status?: z.ZodType
}

export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }

export const readyColumn: PrinterColumn = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
}
