import { SpecError } from '../errors/spec-error.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../hosts/host-record.ts'
import type { HistoryEntry } from '../hosts/ports.ts'
import { ago } from './ago.ts'
import type { Command } from './command.ts'
import { openHostTable, parseHostName, tableOptions } from './host-table.ts'
import { indented, printableLine } from '../execution/printable.ts'
import { withProgress } from './progress.ts'

const historyLength = 20

export const hostShowCommand: Command = {
  noun: 'host',
  verb: 'show',
  summary: 'Shows everything the table knows of a host, and what happened to it.',
  positionals: [{ name: 'NAME', meaning: 'Of the SSHHost; NAMESPACE/NAME for another namespace.' }],
  options: [...tableOptions, { name: 'json', meaning: 'The record and its history as JSON.' }],
  notes: [],
  async run(args, console) {
    const table = await openHostTable(args, console)
    const { hosts, history, clock } = table
    const key = parseHostName(args.positionals[0] ?? '', table)
    const [record, entries] = await withProgress({ clock, console, text: 'Reading the table' }, () =>
      Promise.all([hosts.get(key), history.list(key, historyLength)]),
    )
    if (record === undefined) throw unknownHost(key)
    if (args.switches.has('json'))
      console.out(`${JSON.stringify({ record, history: entries }, undefined, 2)}\n`)
    else console.out(hostText(record, entries, clock.nowMs()))
    return 0
  },
}

export function unknownHost(key: HostKey): SpecError {
  return new SpecError(
    `Cannot find host "${hostKeyText(key)}": the table has no such host, kpssh host list names them`,
    {
      reason: 'HostUnknown',
    },
  )
}

function hostText(record: HostRecord, entries: readonly HistoryEntry[], nowMs: number): string {
  const lines = factsOf(record, nowMs).map(([name, value]) => `${name.padEnd(14)}${indented(value, 14)}`)
  const history = entries.map((entry) =>
    `  ${ago(entry.atMs, nowMs).padEnd(6)}${entry.kind} ${factsText(entry)}`.trimEnd(),
  )
  return [...lines, ...(history.length > 0 ? ['history'] : []), ...history, ''].join('\n')
}

function factsText({ facts }: HistoryEntry): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${printableLine(String(value))}`)
    .join(' ')
}

function modeText({ verified, envelope }: HostRecord): string {
  if (verified === undefined) return 'Raw'
  const shim = envelope === undefined ? 'not probed yet' : `reads envelope ${envelope}`
  return `Verified by ${verified.trustedSigners.length} trusted signers; shim ${verified.shimCommand}, ${shim}`
}

function capacityText({ capacity, arch }: HostRecord): string | undefined {
  if (capacity === undefined) return undefined
  return `${capacity.cpu} CPUs, ${Math.floor(capacity.memoryBytes / 2 ** 20)} MiB, ${arch ?? ''}`
}

function factsOf(record: HostRecord, nowMs: number): readonly (readonly [string, string])[] {
  const { claim, run, failures, quarantine } = record
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['host', hostKeyText(record.key)],
    ['state', record.state],
    ['reason', record.reason],
    ['message', record.message],
    ['quarantine', quarantine && `${quarantine.reason}: ${quarantine.message}`],
    ['address', `${record.user}@${record.address} port ${record.port}`],
    ['mode', modeText(record)],
    ['class', record.hostClass],
    ['claim', claim && `${claim.nodeClaim} (${claim.uid}) since ${ago(claim.sinceMs, nowMs)}`],
    [
      'claim failed',
      claim?.failure && `${claim.failure.phase} ${claim.failure.reason}: ${claim.failure.message}`,
    ],
    ['run', run && `${run.phase} ${run.id}, started ${ago(run.startedAtMs, nowMs)} ago`],
    ['leave owed', record.leavePending ? `yes, after ${record.leaveAttempts} attempts` : 'no'],
    ['installed', record.installed],
    ['node', record.nodeName],
    ['providerID', record.providerID],
    [
      'host keys',
      record.hostKeys.map(({ type, fingerprint }) => `${type ?? ''} ${fingerprint}`.trim()).join(', '),
    ],
    ['agent', record.agent],
    ['capacity', capacityText(record)],
    ['probed', record.probedAtMs === undefined ? 'never' : `${ago(record.probedAtMs, nowMs)} ago`],
    ['probe error', record.probeError],
    ['failures', failures && `${failures.count}, the last ${failures.lastReason}: ${failures.lastMessage}`],
    ['fence', String(record.fence)],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}
