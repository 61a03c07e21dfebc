// An operator vouches for the machine that now answers behind an address.
import { SpecError } from '../errors/spec-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import { parseKnownHost } from '../execution/known-host.ts'
import { hostKeyText, type HostKey } from '../hosts/host-record.ts'
import type { Refusal } from '../hosts/transitions.ts'
import type { Command } from './command.ts'
import { unknownHost } from './host-show.ts'
import { openHostTable, parseHostName, tableOptions } from './host-table.ts'
import { withProgress } from './progress.ts'

export const hostRepinCommand: Command = {
  noun: 'host',
  verb: 'repin',
  summary: 'Trusts a new host key, after a host was reinstalled or replaced.',
  positionals: [
    { name: 'NAME', meaning: 'Of the SSHHost; NAMESPACE/NAME for another namespace.' },
    {
      name: 'KEY',
      meaning:
        'SHA256:… as ssh-keygen -lf prints it, or a line of ssh-keyscan or of a .pub file; quotes are not needed.',
      isMany: true,
    },
  ],
  options: [...tableOptions, { name: 'json', meaning: 'The record afterwards as JSON.' }],
  notes: [
    'Take the key from the machine itself, not from the network. Replaces all pins, lifts a quarantine, and forgets what was installed: the machine may be another one. A leave that is owed stays owed. If the SSH key Secret has a knownHost, change it as well: it wins.',
  ],
  async run(args, console) {
    const table = await openHostTable(args, console)
    const { changeHost, clock } = table
    const [name = '', ...words] = args.positionals
    const key = parseHostName(name, table)
    const pins = parseKnownHost(words.join(' '))
    const outcome = await withProgress({ clock, console, text: 'Writing to the table' }, () =>
      changeHost(key, { kind: 'repinned', pins }, clock.nowMs()),
    )
    if (outcome.kind === 'refused') throw refused(key, outcome.reason)
    const { record } = outcome
    if (args.switches.has('json')) console.out(`${JSON.stringify(record, undefined, 2)}\n`)
    else {
      const list = record.hostKeys.map(({ fingerprint }) => fingerprint).join(' ')
      console.out(`${hostKeyText(key)} is pinned to ${list}\nit is ${record.state} until the next probe\n`)
    }
    return 0
  },
}

function refused(key: HostKey, refusal: Refusal): Error {
  if (refusal === 'unknown-host') return unknownHost(key)
  const host = hostKeyText(key)
  if (refusal === 'held-by-another') {
    return new SpecError(
      `Cannot repin "${host}": it is claimed, delete its NodeClaim or use kpssh host release first`,
      {
        reason: 'HostClaimed',
      },
    )
  }
  if (refusal === 'run-in-progress') {
    return new SpecError(`Cannot repin "${host}": a run is going, wait until it ended (kpssh host show)`, {
      reason: 'RunInProgress',
    })
  }
  return new TransientError(`Cannot repin "${host}": it keeps changing (${refusal}), try again`, {
    reason: 'HostContended',
  })
}
