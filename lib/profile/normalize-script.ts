/** What a script carries that a shell on Linux trips over. */
export type ScriptFlaw = 'byte-order-mark' | 'carriage-return'

export interface NormalizedScript {
  readonly text: string
  readonly flaws: readonly { readonly kind: ScriptFlaw; readonly line: number }[]
}

/** Raw mode runs scripts with LF alone and without a byte order mark. Verified mode must never use this: it would break
 * the signature. */
export function normalizeScript(script: string): NormalizedScript {
  const isMarked = script.startsWith('\ufeff')
  const body = isMarked ? script.slice(1) : script
  const firstReturn = body.indexOf('\r')
  if (!isMarked && firstReturn < 0) return { text: script, flaws: [] }
  const line = body.slice(0, Math.max(0, firstReturn)).split('\n').length
  return {
    text: body.replaceAll(/\r\n?/g, '\n'),
    flaws: [
      ...(isMarked ? [{ kind: 'byte-order-mark', line: 1 } as const] : []),
      ...(firstReturn < 0 ? [] : [{ kind: 'carriage-return', line } as const]),
    ],
  }
}
