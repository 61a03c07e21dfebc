import { z } from 'zod'
import { kpsshGroup, sshNodeClassKind } from './names.ts'

export const NodeClassRef = z.object({
  group: z.string().min(1),
  kind: z.string().min(1),
  name: z.string().min(1),
})
export type NodeClassRef = Readonly<z.infer<typeof NodeClassRef>>

/** A NodePool or NodeClaim is ours if and only if group and kind are; version and name do not count. */
export function isOurNodeClassRef(ref: NodeClassRef | undefined): boolean {
  return ref?.group === kpsshGroup && ref.kind === sshNodeClassKind
}
