// Writes lib/execution/host-program/source.ts: node infra/host-program/generate.ts
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { renderHostProgram } from './render.ts'

const folder = new URL('../../lib/execution/host-program/', import.meta.url)
const fileNames = readdirSync(folder)
  .filter((name) => name.endsWith('.sh'))
  .sort()
const sources = new Map(fileNames.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]))
writeFileSync(new URL('source.ts', folder), renderHostProgram(sources))
