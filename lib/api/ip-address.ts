// IP addresses as text: what the Kubernetes CEL function isIP accepts, and when two texts name the same address.

/** Neither a zone (`fe80::1%eth0`) nor an IPv4 address in IPv6 clothes (`::ffff:10.0.0.1`), as isIP has it. */
export function isIP(text: string): boolean {
  const address = parseIP(text)
  return address !== undefined && !isMappedIPv4(address)
}

/** True for two spellings of one address; false where either text is none. */
export function isSameIP(a: string, b: string): boolean {
  const [first, second] = [parseIP(a), parseIP(b)]
  return (
    first !== undefined && second !== undefined && first.bits === second.bits && first.value === second.value
  )
}

/** `ADDRESS/LENGTH`, as sshd takes it: nothing but zeros behind the length. */
export function isNetwork(text: string): boolean {
  const [, prefix = '', length = ''] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const address = parseIP(prefix)
  if (address === undefined || length === '' || Number(length) > address.bits) return false
  return address.value % (1n << BigInt(address.bits - Number(length))) === 0n
}

interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

function isMappedIPv4({ bits, value }: Address): boolean {
  return bits === 128 && value >> 32n === 0xffffn
}

function parseIP(text: string): Address | undefined {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text)
}

function parseIPv4(text: string): Address | undefined {
  const parts = text.split('.')
  const isPlain =
    parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)
  if (!isPlain) return undefined
  return { bits: 32, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n) }
}

function parseIPv6(text: string): Address | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const groups = halves.map(expandIPv4)
  const [head, tail] = groups
  if (
    groups.length > 2 ||
    head === undefined ||
    groups.flat().some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))
  ) {
    return undefined
  }
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const all = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])]
  return { bits: 128, value: all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n) }
}

/** The last 32 bits may be written as IPv4. */
function expandIPv4(groups: readonly string[], index: number, halves: readonly unknown[]): readonly string[] {
  const last = groups.at(-1)
  if (index !== halves.length - 1 || last === undefined || !last.includes('.')) return groups
  const address = parseIPv4(last)
  if (address === undefined) return groups
  return [...groups.slice(0, -1), (address.value >> 16n).toString(16), (address.value & 0xffffn).toString(16)]
}
