// The grammar of label keys and values; taint keys and values share it.

const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** `name` or `dns.prefix/name`, as a label key, an annotation key or a taint key must be. */
export function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/')
  const [prefix, local] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)]
  if (prefix !== undefined && (prefix.length > 253 || !dnsSubdomain.test(prefix))) return false
  return local.length <= 63 && name.test(local)
}

export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && name.test(value))
}

/** The text before the slash; empty for a key without one. */
export function keyPrefix(key: string): string {
  const slash = key.indexOf('/')
  return slash < 0 ? '' : key.slice(0, slash)
}
