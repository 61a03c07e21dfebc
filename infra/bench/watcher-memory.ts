// How much memory the watcher needs: its image's bundle, with its image's flags, against a generated cluster of 20,000 pods
// and 2,000 nodes. Prints resident memory as the kernel counts it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildWatcher } from '../watcher/build.ts'
import { nodeFlags } from '../watcher/node-flags.ts'
import { startGeneratedCluster } from './generated-cluster.ts'

const size = { pods: Number(process.env['PODS'] ?? 20_000), nodes: Number(process.env['NODES'] ?? 2_000) }
const seconds = Number(process.env['SECONDS_TO_RUN'] ?? 60)
const limitMiB = 100

const cluster = await startGeneratedCluster(size)
const folder = mkdtempSync(join(tmpdir(), 'kpssh-bench-'))
writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig)
writeFileSync(join(folder, 'ca.pem'), cluster.caPem)
const bundle = process.env['BUNDLE'] ?? (await buildWatcher(join(folder, 'main.mjs')))
const watcher = spawn(process.execPath, [...nodeFlags, bundle], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    KPSSH_CLUSTER: 'bench',
    KPSSH_EVENTS_QUEUE: `${cluster.url}/000000000000/events.fifo`,
    KPSSH_SQS_ENDPOINT: cluster.url,
    KPSSH_HEALTH_PORT: '0',
    AWS_REGION: 'us-east-1',
    KUBECONFIG: join(folder, 'kubeconfig'),
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  },
})

let [largest, last] = [0, 0]
for (let elapsed = 0; elapsed < seconds && watcher.exitCode === null; elapsed += 1) {
  await pause(1_000)
  last = memoryMiB(watcher.pid, 'VmRSS')
  largest = Math.max(largest, memoryMiB(watcher.pid, 'VmHWM'))
}
const rest = `${memoryMiB(watcher.pid, 'RssAnon').toFixed(0)} MiB, of files ${memoryMiB(watcher.pid, 'RssFile').toFixed(0)} MiB`
const cpuSeconds = cpuOf(watcher.pid)
watcher.kill('SIGTERM')
cluster.close()
rmSync(folder, { recursive: true })

console.log(`watcher, ${size.pods} pods and ${size.nodes} nodes, ${seconds} s:`)
console.log(`  resident ${last.toFixed(0)} MiB, at most ${largest.toFixed(0)} MiB (target: ${limitMiB})`)
console.log(`  anonymous ${rest}`)
console.log(`  processor ${cpuSeconds.toFixed(1)} s`)
console.log(
  `  messages ${cluster.messageBytes.length}, largest ${Math.max(0, ...cluster.messageBytes)} bytes`,
)
process.exitCode = largest <= limitMiB && cluster.messageBytes.length > 0 ? 0 : 1

function memoryMiB(pid: number | undefined, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
}

function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}
