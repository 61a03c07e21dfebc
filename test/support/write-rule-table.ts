import { readFile, writeFile } from 'node:fs/promises'
import { renderRules } from './render-rules.ts'

const page = new URL('../../docs/profiles.md', import.meta.url)
const text = await readFile(page, 'utf8')
await writeFile(
  page,
  text.replace(/\| rule \| severity \|[^\n]*\n(?:\|[^\n]*\n)+/, () => `${renderRules()}\n`),
)
