// Tables that do their worst within what a table may do.
import { TransientError } from '../../../lib/errors/transient-error.ts'
import type { Claim } from '../../../lib/hosts/host-record.ts'
import type { HostStore } from '../../../lib/hosts/ports.ts'
import type { FakeHostStore } from './host-store.ts'

/** Every host turns out to be held by somebody else the moment one tries to write it. */
export function alwaysHeldHostStore(hosts: FakeHostStore, holder: Claim): HostStore {
  return {
    ...hosts,
    async write(next, believedVersion, cause) {
      const current = await hosts.get(next.key)
      if (current !== undefined && current.claim?.uid !== holder.uid) {
        hosts.put({
          ...current,
          state: 'Claimed',
          claim: holder,
          version: current.version + 1,
          writeID: `held-${current.version + 1}`,
        })
      }
      return hosts.write(next, believedVersion, cause)
    },
  }
}

/** Somebody is always faster, with a write that changes nothing. */
export function losesEveryRaceHostStore(hosts: FakeHostStore): HostStore {
  return {
    ...hosts,
    async write(next, believedVersion, cause) {
      const current = await hosts.get(next.key)
      if (current !== undefined) {
        hosts.put({ ...current, version: current.version + 1, writeID: `rival-${current.version + 1}` })
      }
      return hosts.write(next, believedVersion, cause)
    },
  }
}

/** Applies the first `losses` writes and then says that nobody knows. */
export function losesAnswersHostStore(hosts: FakeHostStore, losses: number): HostStore {
  let lost = 0
  return {
    ...hosts,
    async write(next, believedVersion, cause) {
      const outcome = await hosts.write(next, believedVersion, cause)
      if (lost >= losses) return outcome
      lost += 1
      throw new TransientError(
        'Cannot write item "host": the table did not answer, it must be tried again later',
        {
          reason: 'TableUnavailable',
        },
      )
    },
  }
}
