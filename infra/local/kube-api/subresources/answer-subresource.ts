import type { ApiContext } from '../api-context.ts'
import type { Address, ApiRequest, ApiResponse, Verb } from '../api-request.ts'
import type { ResourceType } from '../resource-type.ts'
import { methodNotAllowed } from '../status-error.ts'

export interface SubresourceCall {
  readonly request: ApiRequest
  readonly address: Address
  readonly type: ResourceType
  readonly subresource: string
  readonly verb: Verb
}

export function answerSubresource(_context: ApiContext, _call: SubresourceCall): ApiResponse {
  throw methodNotAllowed()
}
