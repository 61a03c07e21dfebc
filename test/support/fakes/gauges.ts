import type { Gauges } from '../../../lib/ambient/ports.ts'

export interface FakeGauges extends Gauges {
  /** As `poolHosts pool=lab state=InUse class=default: 2`, in order. */
  readonly lines: readonly string[]
}

export function fakeGauges(): FakeGauges {
  const lines: string[] = []
  return {
    lines,
    set(name, value, dimensions) {
      const kinds = Object.entries(dimensions).map(([key, kind]) => `${key}=${kind}`)
      lines.push(`${[name, ...kinds].join(' ')}: ${value}`)
    },
  }
}
