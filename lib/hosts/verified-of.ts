import { defaultShimCommand } from '../api/names.ts'
import type { SSHHostSpec } from '../api/ssh-host.ts'
import type { Verified } from './host-record.ts'

/** undefined in execMode Raw. */
export function verifiedOf({
  execMode,
  trustedSigners = [],
  shimCommand,
}: SSHHostSpec): Verified | undefined {
  if (execMode !== 'Verified') return undefined
  return { trustedSigners: [...trustedSigners], shimCommand: shimCommand || defaultShimCommand }
}
