/** Absent and undefined are the same fact; only absent is ever stored and compared. */
export function withoutUndefined<T extends object>(value: T): T {
  const bare = { ...value }
  for (const [name, inner] of Object.entries(bare)) {
    if (inner === undefined) Reflect.deleteProperty(bare, name)
  }
  return bare
}
