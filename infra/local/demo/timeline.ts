// What happens, line by line, each with the time since the event that caused it: plain text that needs no color and no wide
// terminal.

export interface Timeline {
  /** Something done to the world from outside: what follows counts from here. */
  cause(text: string): void
  line(text: string): void
}

export interface TimelineOptions {
  readonly nowMs: () => number
  readonly write: (line: string) => void
}

export function makeTimeline({ nowMs, write }: TimelineOptions): Timeline {
  const startedAtMs = nowMs()
  let causedAtMs = startedAtMs
  return {
    cause(text) {
      causedAtMs = nowMs()
      write('')
      write(`${seconds(causedAtMs - startedAtMs).padStart(7)} s  ${text}`)
    },
    line(text) {
      write(`${`+${seconds(nowMs() - causedAtMs)}`.padStart(7)} s    ${text}`)
    },
  }
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(1)
}
