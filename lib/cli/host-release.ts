import { hostKeyText, type HostRecord } from '../hosts/host-record.ts'
import type { Command } from './command.ts'
import { unknownHost } from './host-show.ts'
import { openHostTable, parseHostName, tableOptions } from './host-table.ts'
import { withProgress } from './progress.ts'
import { releaseHost } from './release-host.ts'

export const hostReleaseCommand: Command = {
  noun: 'host',
  verb: 'release',
  summary: 'Ends the claim on a host by hand.',
  positionals: [{ name: 'NAME', meaning: 'Of the SSHHost; NAMESPACE/NAME for another namespace.' }],
  options: [
    ...tableOptions,
    { name: 'force', meaning: 'Also while a run is going: its outcome is then not waited for.' },
    {
      name: 'left',
      meaning: 'You made the host leave by hand (kpssh phase run leave): none is owed any more.',
    },
    { name: 'json', meaning: 'The record afterwards as JSON.' },
  ],
  notes: [
    'For a claim that does not end by itself: the NodeClaim is gone for good, or must not have this host. Runs nothing on the host. If the host may still be a node, a leave stays owed: the host is Unhealthy until one succeeded, and the guard repeats it. Delete the NodeClaim as well if it still exists, for it never takes a second host.',
  ],
  async run(args, console) {
    const table = await openHostTable(args, console)
    const { hosts, clock } = table
    const key = parseHostName(args.positionals[0] ?? '', table)
    const wish = { isForced: args.switches.has('force'), isLeft: args.switches.has('left') }
    const [before, after] = await withProgress({ clock, console, text: 'Asking the table' }, async () => {
      const found = await hosts.get(key)
      if (found === undefined) throw unknownHost(key)
      return [found, await releaseHost(table, found, wish)] as const
    })
    if (args.switches.has('json')) console.out(`${JSON.stringify(after, undefined, 2)}\n`)
    else console.out(releasedText(before, after))
    return 0
  },
}

function releasedText({ claim, run }: HostRecord, after: HostRecord): string {
  const host = hostKeyText(after.key)
  return [
    claim === undefined
      ? `${host} owes no leave any more`
      : `${host} is released by NodeClaim ${claim.nodeClaim} (${claim.uid})`,
    ...(run === undefined
      ? []
      : [`${run.phase} ${run.id} is not waited for: it may still go on at the host`]),
    after.leavePending
      ? `it is ${after.state}: a leave is owed, which the guard repeats until it succeeded`
      : `it is ${after.state}: nothing is owed to it`,
    '',
  ].join('\n')
}
