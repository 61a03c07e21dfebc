// node infra/bench/bundle-size.ts: how large each function is as deployed, and how long a cold start spends on importing
// it. Exits 1 if one is over its limit.
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { packageService } from './package-service.ts'

const functions = ['reconcile', 'install', 'join', 'leave', 'probe', 'guard']
const maxZipBytes = 1024 * 1024
const maxImportMs = 250
const imports = 7

/** As a deployed function has them; nothing is reached while importing. */
const environment = {
  AWS_REGION: 'eu-central-1',
  KPSSH_TABLE: 'kpssh',
  KPSSH_CLUSTERS: '{}',
  KPSSH_NAMESPACE: 'kpssh-system',
  KPSSH_PROBE_INTERVAL_SECONDS: '110',
  KPSSH_FUNCTION_SENDERS: 'AROAEXAMPLE',
  ...Object.fromEntries(
    ['EVENTS', 'INSTALL', 'JOIN', 'LEAVE', 'PROBE'].flatMap((queue) => [
      [`KPSSH_${queue}_QUEUE`, `https://sqs.example/${queue}`],
      [`KPSSH_${queue}_DEAD_LETTER_QUEUE`, `https://sqs.example/${queue}-dead`],
    ]),
  ),
}

/** The fastest of several fresh processes: the one that nothing else on this machine held up. */
async function importMs(bundle: string): Promise<number> {
  const script = `const t = performance.now(); await import(${JSON.stringify(pathToFileURL(bundle).href)}); console.log(performance.now() - t); process.exit()`
  const times: number[] = []
  for (let round = 0; round < imports; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: environment,
    })
    times.push(Number(stdout.trim()))
  }
  return Math.min(...times)
}

const service = await packageService()
let isOver = false
console.log('function    zipped KiB   import ms')
for (const name of functions) {
  const { size } = await stat(join(service.artifacts, `${name}.zip`))
  const ms = await importMs(join(service.bundles, `functions/${name}/handler.cjs`))
  const isTooMuch = size > maxZipBytes || ms > maxImportMs
  isOver ||= isTooMuch
  const kib = (size / 1024).toFixed(0)
  console.log(
    `${name.padEnd(10)} ${kib.padStart(11)} ${ms.toFixed(0).padStart(11)}${isTooMuch ? '   over its limit' : ''}`,
  )
}
console.log(
  `limits     ${(maxZipBytes / 1024).toFixed(0).padStart(11)} ${maxImportMs.toFixed(0).padStart(11)}`,
)
await service.remove()
process.exitCode = isOver ? 1 : 0
