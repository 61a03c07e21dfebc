// Go's text/template language, as far as the join context can use it, with missingkey=error. The results are Go's; only
// the words of the messages are ours, and no message holds a value of the context.
import { fromBytes } from './bytes.ts'
import { execute } from './execute.ts'
import type { SyntaxTree } from './nodes.ts'
import { parse } from './parser.ts'
import { TemplateFault } from './template-fault.ts'
import { contextValue, type TemplateData } from './values.ts'
import { defaultLimits, type Limits } from './work.ts'

export type ParseOutcome =
  | { readonly kind: 'parsed'; readonly tree: SyntaxTree }
  | { readonly kind: 'unparsable'; readonly line: number; readonly message: string }

export type RenderOutcome =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'failed'; readonly line: number; readonly message: string }

export function parseTemplate(name: string, source: string): ParseOutcome {
  try {
    return { kind: 'parsed', tree: parse(name, source) }
  } catch (error) {
    if (error instanceof TemplateFault)
      return { kind: 'unparsable', line: error.line, message: error.message }
    throw error
  }
}

export function renderTemplate(
  tree: SyntaxTree,
  data: TemplateData,
  limits: Limits = defaultLimits,
): RenderOutcome {
  try {
    const text = fromBytes(execute(tree, contextValue(data), limits))
    return text === undefined
      ? { kind: 'failed', line: 0, message: 'the text is not UTF-8 any more: a character was cut in two' }
      : { kind: 'rendered', text }
  } catch (error) {
    if (error instanceof TemplateFault) return { kind: 'failed', line: error.line, message: error.message }
    throw error
  }
}
