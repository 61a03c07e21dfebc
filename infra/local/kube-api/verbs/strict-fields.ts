import type { Address } from '../api-request.ts'
import type { RuleScope } from '../resource-type.ts'
import { badRequest } from '../status-error.ts'

/** `fieldValidation=Strict`, which kubectl sends: unknown fields are refused instead of dropped. */
export function refuseUnknownFields(address: Address, scope: RuleScope): void {
  if (address.query.get('fieldValidation') !== 'Strict' || scope.unknownFields.length === 0) return
  const fields = scope.unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`)
  throw badRequest(`strict decoding error: ${fields.join(', ')}`)
}
