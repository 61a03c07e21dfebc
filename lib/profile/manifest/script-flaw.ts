// What Raw mode takes off a script before it runs, and nobody may take off one that is signed.
import { normalizeScript, type ScriptFlaw } from '../normalize-script.ts'

export type ScriptFlawReason = 'ScriptHasBOM' | 'ScriptHasCR'

const flaws: Readonly<Record<ScriptFlaw, { readonly reason: ScriptFlawReason; readonly what: string }>> = {
  'byte-order-mark': { reason: 'ScriptHasBOM', what: 'a byte order mark' },
  'carriage-return': { reason: 'ScriptHasCR', what: 'a carriage return' },
}

/** The first one. */
export function scriptFlaw(
  script: string,
): { readonly reason: ScriptFlawReason; readonly message: string } | undefined {
  const [flaw] = normalizeScript(script).flaws
  if (flaw === undefined) return undefined
  const { reason, what } = flaws[flaw.kind]
  const message = `line ${flaw.line} has ${what}, which bash takes for a part of a word: save it as plain UTF-8 with LF line ends`
  return { reason, message }
}
