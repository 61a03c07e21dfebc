import { packageVerb } from '../package-managers.ts'
import type { LintScript, Rule } from '../rule.ts'
import type { Invocation } from '../walk/invocation.ts'

export const canPrompt: Rule = {
  name: 'CanPrompt',
  severity: 'warning',
  explanation:
    'Nobody is there to answer: stdin is /dev/null, and a command that asks fails, or waits until the time is over.',
  fix: 'Give the answer beforehand, with the option of the command for it.',
  check(script) {
    return script.invocations.flatMap((invocation) => {
      const advice = adviceFor(invocation, script)
      const message = `${invocation.program} may ask, ${advice ?? ''}`
      return advice === undefined ? [] : [{ line: invocation.line, message }]
    })
  },
}

function adviceFor(invocation: Invocation, script: LintScript): string | undefined {
  const { program, arguments: args, isFed } = invocation
  const words = args.flatMap(({ texts }) => texts)
  const verb = packageVerb(invocation)
  // `yes | …` has the answer.
  if (isFed && program !== 'gpg') return undefined
  if (verb !== undefined) return packageAdvice(program, verb, { words, script })
  const question = Object.hasOwn(questions, program) ? questions[program] : undefined
  if (question === undefined) return undefined
  const { asks = /^/, isSilentWith, advice } = question
  const isAsked = words.some((word) => asks.test(word)) || asks.test('')
  return isAsked && !words.some((word) => isSilentWith?.test(word)) ? advice : undefined
}

interface Question {
  /** What makes it ask; anything, if absent. */
  readonly asks?: RegExp
  readonly isSilentWith?: RegExp
  readonly advice: string
}

const interactive: Question = { asks: /^(?:-[a-zR]*i[a-zR]*|--interactive(?:=.*)?)$/, advice: 'leave out -i' }
const editor: Question = { advice: 'an editor needs a terminal' }

const questions: Readonly<Partial<Record<string, Question>>> = {
  'add-apt-repository': { isSilentWith: /^(?:-\w*y\w*|--yes)$/, advice: 'give it -y' },
  gpg: {
    asks: /^(?:-\w*o|--output)/,
    isSilentWith: /^--(?:yes|batch)$/,
    advice: 'give it --yes for a file that is there already',
  },
  unzip: { isSilentWith: /^-\w*[onpltvzZ]/, advice: 'give it -o for files that are there already' },
  'ssh-keygen': { asks: /^-[ft]/, isSilentWith: /^-[NlyRFHYiA]/, advice: "give it -N ''" },
  kubeadm: { asks: /^reset$/, isSilentWith: /^(?:-f|--force)$/, advice: 'give it --force' },
  ufw: { asks: /^(?:enable|reset)$/, isSilentWith: /^--force$/, advice: 'give it --force' },
  'dpkg-reconfigure': { isSilentWith: /^(?:-f\w*|--frontend.*)$/, advice: 'give it -f noninteractive' },
  rm: interactive,
  cp: interactive,
  mv: interactive,
  read: { asks: /^-\w*p/, advice: 'nothing is ever typed' },
  passwd: { isSilentWith: /^(?:-[ldSnx]|--(?:stdin|lock|delete))/, advice: 'use chpasswd' },
  visudo: { isSilentWith: /^-\w*c/, advice: 'write the file and check it with visudo -c' },
  systemctl: { asks: /^edit$/, isSilentWith: /^--stdin$/, advice: 'write the drop-in' },
  su: { isSilentWith: /^-\w*c|^--command/, advice: 'use runuser' },
  vi: editor,
  vim: editor,
  nano: editor,
}

const changing = /^(?:install|upgrade|dist-upgrade|full-upgrade|remove|purge|autoremove|erase|in|up|rm)$/
const silent: Readonly<Partial<Record<string, RegExp>>> = {
  dnf: /^(?:-\w*y\w*|--assumeyes|--assumeno)$/,
  yum: /^(?:-\w*y\w*|--assumeyes|--assumeno)$/,
  microdnf: /^(?:-\w*y\w*|--assumeyes)$/,
  zypper: /^(?:-n|-y|--non-interactive|--no-confirm)$/,
  apt: /^(?:-\w*y\w*|--yes|--assume-yes|-qq|-s|-d|--simulate|--dry-run|--download-only|--print-uris)$/,
}

interface Asked {
  readonly words: readonly string[]
  readonly script: LintScript
}

function packageAdvice(program: string, verb: string, { words, script }: Asked): string | undefined {
  const isDebian = program.startsWith('apt')
  const option = silent[isDebian ? 'apt' : program]
  const asks = changing.test(verb) || (verb === 'update' && !isDebian)
  if (option === undefined || !asks) return undefined
  if (!words.some((word) => option.test(word))) return 'give it -y'
  // Settings of a package, and files that were changed on the host, are asked for whatever -y says.
  const isQuestionable = isDebian && /install|upgrade/.test(verb) && !script.text.includes('DEBIAN_FRONTEND')
  return isQuestionable ? 'set DEBIAN_FRONTEND=noninteractive' : undefined
}
