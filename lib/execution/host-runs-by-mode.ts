// One way to run phases on a fleet whose hosts differ: each target says in which mode its host is.
import type { HostAdoption, HostRuns, SshTarget } from './ports.ts'

export interface HostRunsByModeOptions {
  readonly raw: HostRuns & HostAdoption
  readonly verified: HostRuns
}

export function makeHostRunsByMode({ raw, verified }: HostRunsByModeOptions): HostRuns & HostAdoption {
  const of = (target: SshTarget): HostRuns => (target.verified === undefined ? raw : verified)
  return {
    start: (target, request, watch) => of(target).start(target, request, watch),
    attach: (target, run, watch) => of(target).attach(target, run, watch),
    probe: (target, options) => of(target).probe(target, options),
    adopt: (target, owner) =>
      target.verified === undefined
        ? raw.adopt(target, owner)
        : Promise.resolve({
            report: onlyByRoot(target.label, target.verified.shimCommand, owner),
            hostKeys: [],
          }),
  }
}

/** The login of a Verified host can send envelopes, and none of them takes a host away from its owner. */
function onlyByRoot(
  label: string,
  shimCommand: string,
  owner: { readonly installationID: string; readonly fence: number },
) {
  const command = `${shimCommand} adopt ${owner.installationID} ${String(owner.fence)}`
  const message = `Cannot adopt "${label}": its login can only send signed runs, run "${command}" as root on the host`
  return { kind: 'unable', reason: 'AdoptionNeedsRoot', message } as const
}
