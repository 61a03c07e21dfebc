/** What moving a pod costs, as Karpenter weighs it: 1 by itself, more or less by its priority and stated deletion cost. */
export function evictionCost({
  deletionCost,
  priority,
}: {
  readonly deletionCost: number
  readonly priority: number
}): number {
  return Math.min(10, Math.max(-10, 1 + deletionCost / 2 ** 27 + priority / 2 ** 25))
}
