// Writes infra/host/kpssh-shim: node infra/host/generate.ts
import { chmodSync, writeFileSync } from 'node:fs'
import { readShimSources } from './read-sources.ts'
import { renderShim } from './render.ts'

const file = new URL('kpssh-shim', import.meta.url)
writeFileSync(file, renderShim(readShimSources()))
chmodSync(file, 0o755)
