// How the image runs Node. The watcher lives in other people's clusters: it trades processor time, of which it needs little,
// for memory. infra/watcher/Dockerfile says the same; infra/watcher/manifests.test.ts compares the two.

/** A heap that grows by a twentieth between collections, and no optimizing compiler, whose pages alone are 5 MiB. */
export const nodeFlags: readonly string[] = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=5',
  '--optimize-for-size',
  '--no-opt',
]

/** One arena for all threads, and what is freed goes back to the system. */
export const nodeEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
