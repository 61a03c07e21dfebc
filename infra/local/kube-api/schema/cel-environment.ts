// Common Expression Language with the functions of Kubernetes that rules in use here call.
import { Environment } from '@marcbachmann/cel-js'
import { isIP, isIPv4 } from 'node:net'
import { tryParseQuantity } from '../../../../lib/api/quantity.ts'

/** A quantity inside an expression, in billionths. A class, because the library tells types by their constructors. */
class Quantity {
  readonly nano: bigint
  constructor(nano: bigint) {
    this.nano = nano
  }
}

export const celEnvironment: Environment = new Environment({
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
})
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerType('kubernetes.Quantity', Quantity)
  .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
  .registerFunction('isCIDR(string): bool', isCidr)
  .registerFunction('isQuantity(string): bool', (text: string) => tryParseQuantity(text) !== undefined)
  .registerFunction('quantity(string): kubernetes.Quantity', quantity)
  .registerFunction('kubernetes.Quantity.sign(): int', (left: Quantity) => sign(left.nano))
  .registerFunction(
    'kubernetes.Quantity.compareTo(kubernetes.Quantity): int',
    (left: Quantity, right: Quantity) => sign(left.nano - right.nano),
  )
  .registerFunction(
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    (left: Quantity, right: Quantity) => left.nano > right.nano,
  )
  .registerFunction(
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    (left: Quantity, right: Quantity) => left.nano < right.nano,
  )
  .registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
  )
  .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
    [...text.matchAll(new RegExp(pattern, 'gu'))].map(([found]) => found),
  )

function quantity(text: string): Quantity {
  const parsed = tryParseQuantity(text)
  if (parsed === undefined) throw new Error(`quantity: ${JSON.stringify(text)} is no quantity`)
  return new Quantity(parsed.nanos)
}

function sign(value: bigint): bigint {
  return value > 0n ? 1n : value < 0n ? -1n : 0n
}

function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  return isIP(address) !== 0 && Number(bits) <= (isIPv4(address) ? 32 : 128)
}
