import type { EventRecorder } from '../../../lib/kubernetes/ports.ts'

type News = Parameters<EventRecorder['record']>[0]

export interface FakeEventRecorder extends EventRecorder {
  /** Everything that was told, in order. */
  readonly told: readonly News[]
  /** As `NodeClaim/workers-abcde JoinFailed`. */
  readonly lines: readonly string[]
}

export function fakeEventRecorder(): FakeEventRecorder {
  const told: News[] = []
  return {
    told,
    get lines() {
      return told.map(({ object: { kind, name }, reason }) => `${kind}/${name} ${reason}`)
    },
    record: async (news) => void told.push(news),
  }
}
