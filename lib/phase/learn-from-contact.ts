// What every contact teaches about the machine itself, whatever it was made for.
import type { HostKeyPin, HostRecord } from '../hosts/host-record.ts'
import type { ProbeFacts } from '../hosts/host-event.ts'
import type { ProbeReport } from '../execution/ports.ts'
import type { ChangeHost } from '../hosts/change-host.ts'

/** Keys that were authenticated, or proven over an authenticated connection, and are not known yet. */
export async function learnHostKeys(
  changeHost: ChangeHost,
  record: HostRecord,
  seen: { readonly hostKeys: readonly HostKeyPin[]; readonly atMs: number },
): Promise<void> {
  const isKnown = (key: HostKeyPin) =>
    record.hostKeys.some(({ type, fingerprint }) => type === key.type && fingerprint === key.fingerprint)
  if (seen.hostKeys.every(isKnown)) return
  await changeHost(record.key, { kind: 'host-keys-learned', pins: seen.hostKeys }, seen.atMs)
}

/** `isOursOnHost` compares what the host remembers with the id of this installation. */
export function probeFactsOf(report: ProbeReport, installationID: string): ProbeFacts {
  const { installation, cpu, memoryBytes, arch, agent, bootID, clockSkewMs, envelope } = report
  const isOursOnHost = installation?.id === installationID
  return {
    capacity: { cpu, memoryBytes },
    arch,
    agent,
    isOursOnHost,
    hostFence: installation?.fence ?? 0,
    bootID,
    clockSkewMs,
    ...(envelope === undefined ? {} : { envelope }),
  }
}
