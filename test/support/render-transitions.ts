// The state machine as docs/claims.md shows it, made from the table in code.
import { transitionTable } from '../../lib/hosts/transitions.ts'

interface Arrow {
  readonly from: string
  readonly to: string
  readonly event: string
  readonly label: string
}

function arrows(): readonly Arrow[] {
  return Object.entries(transitionTable).flatMap(([event, rules]) =>
    rules.flatMap((rule) => {
      if (rule.kind !== 'move' || rule.to === 'same') return []
      const { label, to } = rule
      return rule.from.filter((from) => from !== to).map((from) => ({ from, to, event, label }))
    }),
  )
}

/** One arrow per pair of states, with every trigger that leads from one to the other. */
export function renderDiagram(): string {
  const triggers = Map.groupBy(arrows(), ({ from, to }) => `${from} --> ${to}`)
  const lines = [...triggers].map(([pair, all]) => `    ${pair}: ${renderTriggers(all)}`).sort()
  return ['stateDiagram-v2', '    [*] --> Pending: taken in', ...lines].join('\n')
}

function renderTriggers(all: readonly Arrow[]): string {
  return [...Map.groupBy(all, ({ event }) => event)]
    .map(([event, same]) => {
      const labels = same.map(({ label }) => label).filter((label) => label !== '')
      const isBare = labels.length === 0 || labels.length < same.length
      return isBare ? event : `${event} (${labels.join(' / ')})`
    })
    .join('<br/>')
}
