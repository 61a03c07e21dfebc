// The state machine of a host: one table, from event to rows, in the order in which they are asked. Everything is a pure
// function of (record, event, nowMs). docs/claims.md draws this table, and a test compares the two. sound-state.ts says what every
// row may rely on.
import {
  claimedRules,
  claimFailedRules,
  nodeMatchedRules,
  releasedRules,
  tokenCollectedRules,
  tokenRecordedRules,
} from './claim-rules.ts'
import type { HostEventKind } from './host-event.ts'
import type { HostRecord } from './host-record.ts'
import { hostKeysLearnedRules, quarantinedRules, repinnedRules } from './identity-rules.ts'
import { inventorySeenRules } from './inventory-rules.ts'
import { probedRules, probeFailedRules, zombieFoundRules } from './probe-rules.ts'
import { runFinishedRules } from './run-finished-rules.ts'
import { runStartedRules, runWatchedRules } from './run-rules.ts'
import { withShortTexts } from './short-texts.ts'
import { withSoundState } from './sound-state.ts'
import type { HostEventOf, Move, Rule, Transition } from './transition-rule.ts'
import { withoutUndefined } from './without-undefined.ts'

export type { Refusal, Transition } from './transition-rule.ts'

export const transitionTable: { readonly [K in HostEventKind]: readonly Rule<HostEventOf<K>>[] } = {
  'inventory-seen': inventorySeenRules,
  claimed: claimedRules,
  'run-started': runStartedRules,
  'run-watched': runWatchedRules,
  'run-finished': runFinishedRules,
  'node-matched': nodeMatchedRules,
  'claim-failed': claimFailedRules,
  released: releasedRules,
  'token-recorded': tokenRecordedRules,
  'token-collected': tokenCollectedRules,
  probed: probedRules,
  'probe-failed': probeFailedRules,
  'zombie-found': zombieFoundRules,
  'host-keys-learned': hostKeysLearnedRules,
  quarantined: quarantinedRules,
  repinned: repinnedRules,
}

export function applyHostEvent<K extends HostEventKind>(
  record: HostRecord,
  told: HostEventOf<K>,
  nowMs: number,
): Transition {
  const event = withShortTexts(told)
  const rules: readonly Rule<HostEventOf<K>>[] = transitionTable[event.kind]
  const sound = withSoundState(record)
  const rule = rules.find((row) => isMet(row, sound) && row.when(sound, event, nowMs))
  if (rule === undefined) return { kind: 'refused', reason: 'not-applicable' }
  switch (rule.kind) {
    case 'refuse':
      return { kind: 'refused', reason: rule.reason }
    case 'keep':
      return sound === record ? { kind: 'unchanged' } : { kind: 'moved', record: sound }
    case 'move':
      return { kind: 'moved', record: moved(sound, rule, rule.change(sound, event, nowMs)) }
  }
}

function isMet<E>(rule: Rule<E>, record: HostRecord): boolean {
  return rule.kind !== 'move' || rule.from.includes(record.state)
}

function moved<E>(record: HostRecord, { to }: Move<E>, change: Partial<HostRecord>): HostRecord {
  return withoutUndefined({ ...record, ...change, state: to === 'same' ? record.state : to })
}
