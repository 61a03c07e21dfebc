import type { LintScript, Rule } from '../rule.ts'
import { packageVerb } from '../package-managers.ts'
import { pathsOf, removals } from '../removals.ts'
import type { Invocation } from '../walk/invocation.ts'

export const leaveRemovesInstalled: Rule = {
  name: 'LeaveRemovesInstalled',
  severity: 'error',
  explanation:
    'leave runs at every scale-down and must keep what was installed: install does not run again as long as the version is the same, so the next join would find nothing to start.',
  fix: 'Move it to uninstall.',
  check({ phase, invocations }, { scripts: { install, join } }) {
    if (phase !== 'leave') return []
    const isOfJoin = (path: string) => mentions(join, path) && !mentions(install, path)
    const files = removals(invocations).flatMap(({ operands, line }) =>
      operands
        .flatMap(pathsOf)
        .filter((path) => programs.test(path) && !isOfJoin(path))
        .map((path) => ({ line, message: `leave removes ${path}` })),
    )
    const packages = invocations
      .filter(removesPackages)
      .map(({ program, line }) => ({ line, message: `leave removes packages with ${program}` }))
    return [...files, ...packages]
  },
}

function mentions(script: LintScript | undefined, path: string): boolean {
  return (script?.invocations ?? []).some(({ arguments: args, redirects }) =>
    [...args, ...redirects.map(({ target }) => target)].some((each) => pathsOf(each).includes(path)),
  )
}

const programs = /^\/(?:usr\/(?:local\/)?s?bin|s?bin|opt\/cni|opt\/bin|usr\/lib(?:exec)?\/cni)(?:\/|$)/

const removing = /^(?:remove|purge|autoremove|autopurge|erase|rm|del)$/

const optionsOf: Readonly<Partial<Record<string, RegExp>>> = {
  dpkg: /^(?:-r|-P|--remove|--purge)$/,
  rpm: /^(?:-e|--erase)$/,
  pacman: /^-R/,
}

function removesPackages(invocation: Invocation): boolean {
  const { program, arguments: args } = invocation
  if (/^k3s(?:-agent)?-uninstall\.sh$/.test(program)) return true
  const option = Object.hasOwn(optionsOf, program) ? optionsOf[program] : undefined
  if (option !== undefined) return args.some(({ texts }) => texts.some((text) => option.test(text)))
  return removing.test(packageVerb(invocation) ?? '')
}
