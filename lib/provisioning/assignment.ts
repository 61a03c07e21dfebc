// Which host each new NodeClaim can count on. Hosts are few and of different sizes, so a NodeClaim keeps its choice open;
// but at every moment there must be a way to give each one a host of its own (a matching, kept by augmenting paths).

/** Text of a host to the number of the NodeClaim that counts on it. */
export type Assignment = ReadonlyMap<string, number>

/** Hosts that would do for a NodeClaim, best first. */
export type Choices = (nodeClaim: number) => readonly string[]

/**
 * Gives a NodeClaim a host among its choices, moving others to hosts of their own choices where needed. undefined if there
 * is no way. Everybody else who had a host still has one.
 */
export function assign(before: Assignment, nodeClaim: number, choices: Choices): Assignment | undefined {
  const next = new Map(before)
  for (const [host, holder] of before) if (holder === nodeClaim) next.delete(host)
  return augment(next, nodeClaim, { choices, visited: new Set() }) ? next : undefined
}

interface Search {
  readonly choices: Choices
  readonly visited: Set<string>
}

/** A free host before one that somebody would have to leave: who has a host keeps it where that is possible. */
function augment(assignment: Map<string, number>, nodeClaim: number, search: Search): boolean {
  const unseen = search.choices(nodeClaim).filter((host) => !search.visited.has(host))
  const free = unseen.find((host) => !assignment.has(host))
  if (free !== undefined) {
    assignment.set(free, nodeClaim)
    return true
  }
  return unseen.some((host) => {
    const holder = assignment.get(host)
    if (holder === undefined || search.visited.has(host)) return false
    search.visited.add(host)
    if (!augment(assignment, holder, search)) return false
    assignment.set(host, nodeClaim)
    return true
  })
}

export function hostOf(assignment: Assignment, nodeClaim: number): string | undefined {
  for (const [host, holder] of assignment) if (holder === nodeClaim) return host
  return undefined
}
