import type { HostPort } from '../api/pod.ts'

/** Two listen in each other's way on the same port and protocol where either listens on every address. */
export function hasClash(taken: readonly HostPort[], wanted: readonly HostPort[]): boolean {
  return wanted.some((one) => taken.some((other) => isClash(one, other)))
}

function isClash(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false
  return isEveryAddress(a.hostIP) || isEveryAddress(b.hostIP) || a.hostIP === b.hostIP
}

function isEveryAddress(hostIP: string): boolean {
  return hostIP === '' || hostIP === '0.0.0.0' || hostIP === '::'
}
