// Which host each new NodeClaim can count on. Hosts are few and of different sizes, so a NodeClaim keeps its choice open;
// but at every moment there must be a way to give each one a host of its own (a matching, kept by augmenting paths).

/** Text of a host to the number of the NodeClaim that counts on it. */
export type Assignment = ReadonlyMap<string, number>

/** Hosts that would do for a NodeClaim, best first. */
export type Choices = (nodeClaim: number) => readonly string[]

/**
 * Gives a NodeClaim a host among its choices: a free one if it can, otherwise by moving others to hosts of their own
 * choices, the older (of lower number) only where moving the newer does not help. undefined if there is no way. Everybody
 * who had a host still has one.
 */
export function assign(before: Assignment, nodeClaim: number, choices: Choices): Assignment | undefined {
  const others = new Map([...before].filter(([, holder]) => holder !== nodeClaim))
  if (augmented(others, nodeClaim, { choices, oldest: 0 }) === undefined) return undefined
  const newestFirst = [...others.values()].sort((a, b) => b - a)
  for (const oldest of [Infinity, ...newestFirst]) {
    const assignment = augmented(others, nodeClaim, { choices, oldest })
    if (assignment !== undefined) return assignment
  }
  return undefined
}

interface Rules {
  readonly choices: Choices
  /** Those of lower number stay where they are. */
  readonly oldest: number
}

function augmented(before: Assignment, nodeClaim: number, rules: Rules): Assignment | undefined {
  const next = new Map(before)
  return augment(next, nodeClaim, { ...rules, visited: new Set() }) ? next : undefined
}

function augment(
  assignment: Map<string, number>,
  nodeClaim: number,
  search: Rules & { readonly visited: Set<string> },
): boolean {
  const { choices, oldest, visited } = search
  const hosts = choices(nodeClaim)
  const free = hosts.find((host) => !assignment.has(host))
  if (free !== undefined) {
    assignment.set(free, nodeClaim)
    return true
  }
  for (const host of hosts) {
    const holder = assignment.get(host) ?? -1
    if (visited.has(host) || holder < oldest) continue
    visited.add(host)
    if (augment(assignment, holder, search)) {
      assignment.set(host, nodeClaim)
      return true
    }
  }
  return false
}

/**
 * The hosts that one NodeClaim could have, everybody else having some host of their own choices: one more NodeClaim, or
 * `leaving`, which gives up its own. As choices shrink and NodeClaims are added, this only ever becomes less.
 */
export function attainable(
  assignment: Assignment,
  {
    hosts,
    choices,
    leaving,
  }: { readonly hosts: readonly string[]; readonly choices: Choices; readonly leaving?: number },
): ReadonlySet<string> {
  const reached = new Set(hosts.filter((host) => !assignment.has(host) || assignment.get(host) === leaving))
  let isGrowing = true
  while (isGrowing) {
    const more = [...assignment].filter(
      ([host, holder]) => !reached.has(host) && choices(holder).some((other) => reached.has(other)),
    )
    for (const [host] of more) reached.add(host)
    isGrowing = more.length > 0
  }
  return reached
}

export function hostOf(assignment: Assignment, nodeClaim: number): string | undefined {
  for (const [host, holder] of assignment) if (holder === nodeClaim) return host
  return undefined
}
