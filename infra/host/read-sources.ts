import { readFileSync } from 'node:fs'
import { programNames, shimPartNames, supervisorNames, type ShimSources } from './render.ts'

export function readShimSources(): ShimSources {
  const partOf = (name: string) => readFileSync(new URL(`parts/${name}.sh`, import.meta.url), 'utf8')
  const programOf = (name: string) =>
    readFileSync(new URL(`../../lib/execution/host-program/${name}.sh`, import.meta.url), 'utf8')
  return {
    parts: new Map(shimPartNames.map((name) => [name, partOf(name)])),
    programs: new Map([...programNames, ...supervisorNames].map((name) => [name, programOf(name)])),
  }
}
