// What a script has a package manager do.
import type { Invocation } from './walk/invocation.ts'

const managers = /^(?:apt|apt-get|aptitude|dnf|yum|microdnf|zypper|apk|snap)$/
/** Options that are followed by a value of their own. */
const valueOption = /^(?:-[oct]|--(?:option|config-file|target-release|releasever|repo|installroot))$/

/** The verb: what comes first that is no option. Undefined for any other program. */
export function packageVerb({ program, arguments: args }: Invocation): string | undefined {
  if (!managers.test(program)) return undefined
  const texts = args.map((argument) => argument.texts[0] ?? '')
  return texts.find((text, index) => !text.startsWith('-') && !valueOption.test(texts[index - 1] ?? ''))
}
