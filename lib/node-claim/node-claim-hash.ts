import { joinHash } from '../api/join-hash.ts'
import { annotations, nodeClassHashVersion } from '../api/names.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'

/** Annotations by which a later change of the node class is noticed. */
export function nodeClaimHash(nodeClass: SSHNodeClass | undefined): Readonly<Record<string, string>> {
  if (nodeClass === undefined) return {}
  return {
    [annotations.nodeClassHash]: joinHash(nodeClass.spec),
    [annotations.nodeClassHashVersion]: nodeClassHashVersion,
  }
}
