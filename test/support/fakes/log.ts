import type { Facts, Log, Scope } from '../../../lib/ambient/ports.ts'
import type { FakeClock } from './clock.ts'

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly facts: Facts
}

export interface FakeLog extends Log {
  readonly lines: readonly LogLine[]
}

export function fakeLog(): FakeLog {
  const lines: LogLine[] = []
  const write =
    (level: LogLine['level']) =>
    (event: string, facts: Facts = {}) =>
      void lines.push({ level, event, facts })
  return { lines, info: write('info'), warn: write('warn'), error: write('error') }
}

/** A scope with a minute left. */
export function fakeScope(
  clock: FakeClock,
  overrides: Partial<Scope> = {},
): Scope & { readonly log: FakeLog; readonly clock: FakeClock } {
  return { deadlineAtMs: clock.nowMs() + 60_000, ...overrides, clock, log: fakeLog() }
}
