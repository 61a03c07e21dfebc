// node infra/crds/generate.ts           writes the CRD manifests
// node infra/crds/generate.ts --check   exits 1 and names each file that is not what lib/api says
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definitions } from './definitions.ts'
import { manifestYAML } from './manifest.ts'

const isCheck = process.argv.includes('--check')
const stale = definitions.filter((definition) => {
  const path = join(import.meta.dirname, definition.file)
  const wanted = manifestYAML(definition)
  if (readIfThere(path) === wanted) return false
  if (!isCheck) writeFileSync(path, wanted)
  return true
})

for (const { file } of stale) {
  console.log(
    isCheck ? `stale: infra/crds/${file}, run: node infra/crds/generate.ts` : `wrote infra/crds/${file}`,
  )
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
