import type { HostRecord } from '../hosts/host-record.ts'
import type { Command } from './command.ts'
import { openHostTable, tableOptions } from './host-table.ts'
import { ago } from './ago.ts'
import { withProgress } from './progress.ts'
import { renderTable, type Column } from './render-table.ts'

export const hostListCommand: Command = {
  noun: 'host',
  verb: 'list',
  summary: 'Lists the hosts of a pool, as the table knows them.',
  positionals: [],
  options: [
    ...tableOptions.filter(({ name }) => name !== 'namespace'),
    { name: 'namespace', value: 'NAMESPACE', meaning: 'Only the hosts of this namespace.' },
    { name: 'json', meaning: 'The records as JSON.' },
  ],
  notes: ['On a narrow terminal the columns to the right are left out; --json has everything.'],
  async run(args, console) {
    const { hosts, pool, clock } = await openHostTable(args, console)
    const namespace = args.values['namespace']
    const place = namespace === undefined ? `pool "${pool}"` : `namespace "${namespace}" of pool "${pool}"`
    const all = await withProgress({ clock, console, text: 'Reading the table' }, () => hosts.list(pool))
    const records = all.filter(({ key }) => namespace === undefined || key.namespace === namespace)
    if (args.switches.has('json')) console.out(`${JSON.stringify(records, undefined, 2)}\n`)
    else if (records.length === 0) console.note(`${place} has no hosts\n`)
    else console.out(renderTable(columns(clock.nowMs()), records, console.width))
    return 0
  },
}

/** From the most to the least needed. */
function columns(nowMs: number): readonly Column<HostRecord>[] {
  return [
    { title: 'NAME', text: ({ key }) => key.name },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'REASON', text: ({ quarantine, reason }) => quarantine?.reason ?? reason ?? '' },
    { title: 'NODECLAIM', text: ({ claim }) => claim?.nodeClaim ?? '' },
    { title: 'RUN', text: ({ run }) => run?.phase ?? '' },
    { title: 'INSTALLED', text: ({ installed }) => installed ?? '' },
    {
      title: 'ADDRESS',
      text: ({ user, address, port }) =>
        `${user}@${address.includes(':') ? `[${address}]` : address}:${port}`,
    },
    {
      title: 'PROBED',
      text: ({ probedAtMs }) => (probedAtMs === undefined ? 'never' : ago(probedAtMs, nowMs)),
    },
  ]
}
