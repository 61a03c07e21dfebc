import { readFile, writeFile } from 'node:fs/promises'
import { renderDiagram } from './render-transitions.ts'

const page = new URL('../../docs/claims.md', import.meta.url)
const text = await readFile(page, 'utf8')
await writeFile(
  page,
  text.replace(/```mermaid\n[^`]*```/, () => `\`\`\`mermaid\n${renderDiagram()}\n\`\`\``),
)
