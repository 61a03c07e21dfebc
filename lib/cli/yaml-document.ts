// YAML and JSON files, with the lines on which things stand in them.
import { isScalar, LineCounter, parseAllDocuments, type Document } from 'yaml'
import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import type { Places } from './examine-profile.ts'

export interface YamlDocument {
  readonly document: Document
  readonly lines: LineCounter
}

/** Throws SpecError (YamlInvalid). */
export function parseYaml(file: string, text: string): readonly YamlDocument[] {
  const lines = new LineCounter()
  const documents = [...parseAllDocuments(text, { lineCounter: lines })]
  for (const { errors } of documents) {
    const [error] = errors
    if (error === undefined) continue
    const line = lines.linePos(error.pos[0]).line
    throw invalid(`Cannot read "${file}": line ${line} is not valid YAML, correct it`)
  }
  return documents.map((document) => ({ document, lines }))
}

/** Aliases that multiply without end are refused by the parser. */
export function toPlain(file: string, { document }: YamlDocument): unknown {
  try {
    return document.toJS()
  } catch {
    throw invalid(`Cannot read "${file}": its YAML aliases do not resolve, write the values out`)
  }
}

function invalid(message: string): SpecError {
  return new SpecError(message, { reason: 'YamlInvalid' })
}

export function placesIn(file: string, { document, lines }: YamlDocument): Places {
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      const start = startOf(node)
      if (start !== undefined) return lines.linePos(start).line
    }
    return 1
  }
  return {
    field: (path) => ({ file, line: lineOf(path) }),
    script(phase, line) {
      const path = ['spec', 'scripts', phase]
      const node = document.getIn(path, true)
      // A block scalar keeps its lines: those of the script follow the line with the `|`.
      const isBlock = isScalar(node) && node.type === 'BLOCK_LITERAL' && line > 0
      return { file, line: lineOf(path) + (isBlock ? line : 0) }
    },
  }
}

const Ranged = z.object({ range: z.tuple([z.number()]).rest(z.number()) })

function startOf(node: unknown): number | undefined {
  const parsed = Ranged.safeParse(node)
  return parsed.success ? parsed.data.range[0] : undefined
}
