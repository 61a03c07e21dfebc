// Hosts as tests need them: a healthy, free one unless the test says otherwise.
import type { HostEvent, Inventory, ProbeFacts } from '../../../lib/hosts/host-event.ts'
import type { Claim, HostKey, HostRecord, Run } from '../../../lib/hosts/host-record.ts'
import { withoutUndefined } from '../../../lib/hosts/without-undefined.ts'

/** 2026-01-01T00:00:00Z, and in seconds 1767225600. */
export const t0 = 1_767_225_600_000

export function aHostKey(name = 'h1'): HostKey {
  return { pool: 'lab', namespace: 'kpssh-system', name }
}

/** An override of undefined takes a field away. */
export function aHost(overrides: Partial<HostRecord> & { readonly name?: string } = {}): HostRecord {
  const { name, ...fields } = overrides
  return withoutUndefined({
    key: aHostKey(name),
    cluster: 'lab',
    version: 1,
    writeID: 'w1',
    state: 'Available',
    fence: 0,
    leavePending: false,
    leaveAttempts: 0,
    maintenance: false,
    takenIn: true,
    hostKeys: [],
    tokenIDs: [],
    address: '192.0.2.1',
    port: 22,
    user: 'root',
    sshKeySecret: 'ssh-key',
    hostClass: 'default',
    agentUnits: ['kubelet'],
    ...fields,
  })
}

export function aClaim(overrides: Partial<Claim> = {}): Claim {
  return { cluster: 'lab', nodeClaim: 'workers-abcde', uid: 'uid-1', sinceMs: t0, ...overrides }
}

/** A run as it is asked for: the transition gives it its fence. */
export function aStart(overrides: Partial<Omit<Run, 'fence'>> = {}): Omit<Run, 'fence'> {
  return {
    id: 'run-1',
    phase: 'join',
    attempt: 1,
    startedAtMs: t0,
    timeoutMs: 300_000,
    leaseUntilMs: t0 + 60_000,
    holder: 'invocation-1',
    ...overrides,
  }
}

export function aRun({ fence = 1_767_225_600, ...overrides }: Partial<Run> = {}): Run {
  return { ...aStart(overrides), fence }
}

/** Held by `uid-1`, installed, nothing joined yet. */
export function aClaimedHost(overrides: Partial<HostRecord> = {}): HostRecord {
  return aHost({
    state: 'Claimed',
    claim: aClaim(),
    providerID: 'kpssh://kpssh-system/h1',
    installed: 'demo@1',
    installedVars: 'vars-1',
    ...overrides,
  })
}

/** Held by `uid-1` and a member. */
export function aJoinedHost(overrides: Partial<HostRecord> = {}): HostRecord {
  return aClaimedHost({
    state: 'InUse',
    claim: aClaim({ joinedAtMs: t0 }),
    leavePending: true,
    nodeName: 'workers-abcde',
    leaveRecipe: 'recipe-1',
    ...overrides,
  })
}

export function anInventory(overrides: Partial<Inventory> = {}): Inventory {
  return {
    cluster: 'lab',
    address: '192.0.2.1',
    port: 22,
    user: 'root',
    sshKeySecret: 'ssh-key',
    hostClass: 'default',
    agentUnits: ['kubelet'],
    maintenance: false,
    ...overrides,
  }
}

export function probeFacts(overrides: Partial<ProbeFacts> = {}): ProbeFacts {
  return {
    capacity: { cpu: 4, memoryBytes: 8_589_934_592 },
    arch: 'amd64',
    agent: 'inactive',
    isOursOnHost: false,
    hostFence: 0,
    bootID: 'boot-1',
    clockSkewMs: 0,
    ...overrides,
  }
}

type EventOf<K extends HostEvent['kind']> = Extract<HostEvent, { kind: K }>

export function runStarted(overrides: Partial<EventOf<'run-started'>> = {}): EventOf<'run-started'> {
  return { kind: 'run-started', run: aStart(), claimUid: 'uid-1', ...overrides }
}

export function probed(facts: Partial<ProbeFacts> = {}): EventOf<'probed'> {
  return { kind: 'probed', facts: probeFacts(facts) }
}
