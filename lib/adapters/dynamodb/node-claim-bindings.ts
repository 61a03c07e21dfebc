// One small item per NodeClaim that ever took a host, put before the host is claimed and kept: a NodeClaim takes one host ever.
import { z } from 'zod'
import { HostKey, hostKeyText } from '../../hosts/host-record.ts'
import type { NodeClaimBindings } from '../../hosts/ports.ts'
import { either, equals, isAbsent } from './condition.ts'
import { contended, makeDynamoTable, type DynamoDeps } from './dynamo-table.ts'
import { nodeClaimItemKey } from './item-key.ts'
import { parseItem } from './parse-item.ts'

const Binding = z.object({ host: HostKey, hostText: z.string() })

export function makeDynamoNodeClaimBindings(deps: DynamoDeps): NodeClaimBindings {
  const table = makeDynamoTable(deps)
  return {
    async get(uid) {
      const item = await table.get(nodeClaimItemKey(uid))
      return item && parseItem(Binding, item).host
    },
    async bind(uid, host) {
      const binding = { host, hostText: hostKeyText(host) }
      const isFree = either(isAbsent, equals('hostText', binding.hostText))
      const outcome = await table.put(nodeClaimItemKey(uid), binding, isFree)
      if (outcome.kind === 'done') return { kind: 'bound' }
      if (outcome.current === undefined) throw contended(`bind NodeClaim "${uid}"`)
      return { kind: 'other', host: parseItem(Binding, outcome.current).host }
    },
    async unbind(uid, host) {
      await table.delete(nodeClaimItemKey(uid), equals('hostText', hostKeyText(host)))
    },
  }
}
