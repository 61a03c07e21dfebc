import type { Rule } from '../rule.ts'
import { pathsOf, removals } from '../removals.ts'
import type { Argument, Invocation } from '../walk/invocation.ts'
import { hasHole } from '../walk/text.ts'

export const removesMounted: Rule = {
  name: 'RemovesMounted',
  severity: 'error',
  explanation:
    "Pods have the host's own directories mounted below the kubelet's: deleting there deletes the host's /etc. A bind mount of the same file system is followed also with --one-file-system.",
  fix: 'Unmount everything below the directory first, deepest first, and refuse while /proc/self/mountinfo still shows any.',
  check({ invocations }) {
    return removals(invocations)
      .filter(({ isRecursive, index }) => isRecursive && !invocations.slice(0, index).some(looksAtMounts))
      .flatMap(({ operands, line }) =>
        operands
          .flatMap((operand) =>
            pathsOf(operand).filter((path) => mayHoldMounts(path) || isRoot(path, operand)),
          )
          .map((path) => ({ line, message: `${path} is deleted, whatever is mounted below it` })),
      )
  },
}

/** The directory itself, those above it, and those below it that pods and drivers mount into. */
function mayHoldMounts(path: string): boolean {
  return /^\/var(?:\/(?:\*|lib(?:\/(?:\*|kubelet(?:\/(?:\*|p\*|(?:pods|plugins|volumeplugins)(?:\/.*)?))?))?))?$/.test(
    path,
  )
}

/** RemovesVariable is about those that are the root only where a variable is empty. */
function isRoot(path: string, { texts }: Argument): boolean {
  return (path === '/' || path === '/*') && !texts.some(hasHole)
}

function looksAtMounts({ program, arguments: args, redirects }: Invocation): boolean {
  if (program === 'umount' || program === 'findmnt' || program === 'mountpoint') return true
  const texts = [...args, ...redirects.map(({ target }) => target)].flatMap((argument) => argument.texts)
  return texts.some((text) => /\/proc\/(?:\w+\/)?(?:mounts|mountinfo)\b/.test(text))
}
