// An operator vouches that a host is this installation's, whatever the host itself remembers.
import { HostError } from '../errors/host-error.ts'
import { SpecError } from '../errors/spec-error.ts'
import type { AdoptReport, ProbeReport, SshTarget } from '../execution/ports.ts'
import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import { isAgentAlive } from '../hosts/probe-rules.ts'
import type { Arguments, Command } from './command.ts'
import { showHostKeys } from './follow-run.ts'
import { unknownHost } from './host-show.ts'
import { openHostTable, parseHostName, tableOptions } from './host-table.ts'
import { loadRuns } from './load-runs.ts'
import { withProgress } from './progress.ts'
import { keyOptions, sshCredentials } from './ssh-options.ts'

export const hostAdoptCommand: Command = {
  noun: 'host',
  verb: 'adopt',
  summary: 'Tells a host that it belongs to this installation now.',
  positionals: [{ name: 'NAME', meaning: 'Of the SSHHost; NAMESPACE/NAME for another namespace.' }],
  options: [
    ...tableOptions,
    ...keyOptions,
    {
      name: 'known-host',
      value: 'X',
      meaning: 'The host key, as for phase run. Without it: what the table has pinned, if anything.',
    },
    { name: 'force', meaning: 'Also if its agent runs: it is taken for a zombie then, and made to leave.' },
  ],
  notes: [
    'For a host that refuses this installation: it belongs to another one (ForeignInstallation), or its order of what is done to it is far from this table (FenceAbsurd, FenceStale), as after the loss of a table. Logs in where the table says. Writes to the host alone: the next probe finds it changed.',
    'Release the host in the installation that it belonged to, or both will claim it.',
  ],
  async run(args, console) {
    const table = await openHostTable(args, console)
    const { clock } = table
    const key = parseHostName(args.positionals[0] ?? '', table)
    const [record, installationID] = await withProgress({ clock, console, text: 'Reading the table' }, () =>
      Promise.all([table.hosts.get(key), table.installation()]),
    )
    if (record === undefined) throw unknownHost(key)
    const target = await targetOf(record, args)
    const { runs } = await loadRuns()
    const adopted = await withProgress({ clock, console, text: `Asking ${target.label}` }, async () => {
      const { report, hostKeys } = await runs.probe(target, { agentUnits: record.agentUnits })
      if (report.kind === 'unable') throw new HostError(report.message, { reason: report.reason })
      if (!args.switches.has('force')) requireQuiet(report, target, record)
      if (target.pins.length === 0) showHostKeys(console, hostKeys)
      // The host that was shown is the one that is told.
      const pinned = { ...target, pins: target.pins.length > 0 ? target.pins : hostKeys }
      const { report: answer } = await runs.adopt(pinned, { installationID, fence: record.fence })
      return requireAdopted(target.label, answer)
    })
    const before = adopted.before === installationID ? 'this one' : (adopted.before ?? 'none')
    console.out(
      `${hostKeyText(key)} belongs to installation ${installationID}, before it was ${before}\nit is ${record.state} until the next probe\n`,
    )
    return 0
  },
}

async function targetOf(record: HostRecord, args: Arguments): Promise<SshTarget> {
  const { address, port, user, hostKeys, verified } = record
  const { pins, ...keys } = await sshCredentials(args)
  const label = hostKeyText(record.key)
  const mode = verified === undefined ? {} : { verified: { shimCommand: verified.shimCommand } }
  return { label, address, port, user, ...keys, pins: pins.length > 0 ? pins : hostKeys, ...mode }
}

/** A host that is somebody's node must not be made to leave by mistake. */
function requireQuiet({ agent }: ProbeReport, target: SshTarget, { claim }: HostRecord): void {
  if (claim !== undefined || !isAgentAlive(agent)) return
  throw new SpecError(
    `Cannot adopt "${target.label}": its agent is ${agent} and may be a node of another cluster, stop it or add --force`,
    { reason: 'AgentActive' },
  )
}

function requireAdopted(label: string, report: AdoptReport): Extract<AdoptReport, { kind: 'adopted' }> {
  switch (report.kind) {
    case 'adopted':
      return report
    case 'refused':
    case 'unable':
      throw new HostError(report.message, { reason: report.reason })
    case 'indeterminate':
      throw new HostError(`Cannot adopt "${label}": contact was lost before it answered, try again`, {
        reason: 'Indeterminate',
      })
  }
}
