import type { Token, TokenKind } from './lexer.ts'
import { TemplateFault } from './template-fault.ts'

/** Looks at tokens and takes them, one after the other; past the last there is always `end`. */
export interface TokenReader {
  peek(): Token
  /** The next token that is no space, after skipping `ahead` tokens. */
  peekPastSpace(ahead?: number): Token
  take(): Token
  takePastSpace(): Token
  /** Takes the next token that is no space, which must be of this kind. */
  expect(kind: TokenKind, where: string): Token
}

export function makeTokenReader(tokens: readonly Token[]): TokenReader {
  const last: Token = tokens.at(-1) ?? { kind: 'end', text: '', line: 1 }
  let position = 0
  const at = (index: number) => tokens[index] ?? last
  const pastSpace = (index: number) => (at(index).kind === 'space' ? index + 1 : index)
  const take = () => {
    const token = at(position)
    position += 1
    return token
  }
  const takePastSpace = () => {
    position = pastSpace(position)
    return take()
  }
  return {
    peek: () => at(position),
    peekPastSpace: (ahead = 0) => at(pastSpace(position + ahead)),
    take,
    takePastSpace,
    expect(kind, where) {
      const token = takePastSpace()
      if (token.kind !== kind) throw unexpected(token, where)
      return token
    },
  }
}

export function unexpected(token: Token, where: string): TemplateFault {
  const what = token.kind === 'end' ? 'the end of the template' : `"${token.text.slice(0, 20)}"`
  return new TemplateFault('parse', token.line, `unexpected ${what} ${where}`)
}
