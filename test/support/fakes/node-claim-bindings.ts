import { hostKeyText, type HostKey } from '../../../lib/hosts/host-record.ts'
import type { NodeClaimBindings } from '../../../lib/hosts/ports.ts'

export function fakeNodeClaimBindings(initial: Readonly<Record<string, HostKey>> = {}): NodeClaimBindings {
  const bindings = new Map(Object.entries(initial))
  return {
    get: async (uid) => bindings.get(uid),
    async bind(uid, host) {
      const other = bindings.get(uid)
      if (other !== undefined && hostKeyText(other) !== hostKeyText(host))
        return { kind: 'other', host: other }
      bindings.set(uid, host)
      return { kind: 'bound' }
    },
    async unbind(uid, host) {
      const bound = bindings.get(uid)
      if (bound !== undefined && hostKeyText(bound) === hostKeyText(host)) bindings.delete(uid)
    },
  }
}
