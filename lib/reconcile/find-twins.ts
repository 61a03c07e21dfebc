// One machine under two names, or two under one: whoever is part of such a pair is reported and not claimed, since a claim
// on one name would not be exclusive on the machine.
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'

/** For each host that shares its address or a host key with another: the other's name. By hostKeyText. */
export function findTwins(records: readonly HostRecord[]): ReadonlyMap<string, string> {
  const owners = new Map<string, HostRecord>()
  const twins = new Map<string, string>()
  for (const record of records) {
    for (const trait of traitsOf(record)) {
      const other = owners.get(trait)
      if (other === undefined) owners.set(trait, record)
      else if (other !== record) {
        twins.set(hostKeyText(record.key), other.key.name)
        twins.set(hostKeyText(other.key), record.key.name)
      }
    }
  }
  return twins
}

function traitsOf(record: HostRecord): readonly string[] {
  const address = `${record.address.toLowerCase()}:${record.port}`
  return [address, ...record.hostKeys.map((pin) => pin.fingerprint)]
}
