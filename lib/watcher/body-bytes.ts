import type { ClusterObserved } from '../messages/cluster-observed.ts'
import { encodeBody } from '../messages/message-body.ts'

/** JSON of Kubernetes objects packs to less than a sixth; base64 makes a third more of it. */
const packedShare = 1 / 4

/** Size of the body that a message becomes, estimated: making a body of megabytes to learn its size is for hard cases. */
export function estimatedBodyBytes({ snapshot }: ClusterObserved): number {
  let jsonLength = 0
  for (const items of Object.values(snapshot)) {
    for (const item of items) jsonLength += JSON.stringify(item).length + 1
  }
  return Math.ceil(jsonLength * packedShare)
}

export function exactBodyBytes(message: ClusterObserved): number {
  return encodeBody(message).length
}
