// Conditions, built from parts that say what they believe.
//
//   look              decide            write
//    | version 7 ------------------------->| isVersion(7) holds: the item is now version 8, writeID of this write
//    | version 7 --------------------------------->| isVersion(7) fails: version is 8
//                                                  | same writeID? an attempt of ours whose answer got lost: written
//                                                  | another?      a rival: stale, and the answer says who

export interface Condition {
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string | number>>
}

export const isAbsent: Condition = {
  expression: 'attribute_not_exists(#pk)',
  names: { '#pk': 'pk' },
  values: {},
}

export function isVersion(version: number): Condition {
  return equals('version', version)
}

export function equals(attribute: string, value: string | number): Condition {
  return {
    expression: `#${attribute} = :${attribute}`,
    names: { [`#${attribute}`]: attribute },
    values: { [`:${attribute}`]: value },
  }
}

export function isAtMost(attribute: string, value: number): Condition {
  return {
    expression: `#${attribute} <= :${attribute}`,
    names: { [`#${attribute}`]: attribute },
    values: { [`:${attribute}`]: value },
  }
}

export function either(first: Condition, second: Condition): Condition {
  return {
    expression: `${first.expression} OR ${second.expression}`,
    names: { ...first.names, ...second.names },
    values: { ...first.values, ...second.values },
  }
}
