// The schedule of the local stack: one invocation at the start, then one per interval, never two at a time.

export interface Schedule {
  readonly functionName: string
  readonly intervalMs: number
}

export interface ScheduleDeps {
  readonly invoke: (functionName: string, event: object) => Promise<unknown>
  readonly warn: (message: string, error: unknown) => void
}

export interface RunningSchedule {
  stop(): void
}

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** Milliseconds of an EventBridge `rate(...)` expression. */
export function rateMs(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  const ms = unitMs[unit ?? '']
  if (count === undefined || ms === undefined) {
    throw new Error(`Cannot run the schedule "${expression}" locally: only rate(...) expressions are known`)
  }
  return Number(count) * ms
}

export function startSchedule(schedule: Schedule, deps: ScheduleDeps): RunningSchedule {
  let isRunning = false
  async function tick(): Promise<void> {
    if (isRunning) return
    isRunning = true
    try {
      await deps.invoke(schedule.functionName, {
        source: 'aws.events',
        'detail-type': 'Scheduled Event',
        detail: {},
      })
    } catch (error) {
      deps.warn(`Scheduled function "${schedule.functionName}" failed`, error)
    } finally {
      isRunning = false
    }
  }
  const timer = setInterval(() => void tick(), schedule.intervalMs)
  void tick()
  return { stop: () => clearInterval(timer) }
}
