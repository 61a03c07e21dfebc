import { recordOf } from '../json.ts'
import { configKeyProblem } from '../name-rules.ts'
import type { KindRules } from '../resource-type.ts'
import { causeInvalid } from '../status-error.ts'

export const configMapRules: KindRules = {
  validate: (object) =>
    ['data', 'binaryData'].flatMap((part) =>
      Object.keys(recordOf(object[part])).flatMap((key) => {
        const problem = configKeyProblem(key)
        return problem === undefined
          ? []
          : [causeInvalid(`${part}[${key}]`, `${JSON.stringify(key)}: ${problem}`)]
      }),
    ),
}
