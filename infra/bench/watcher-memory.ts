// How much memory the watcher needs: its image's bundle, run as its image runs it, against a generated cluster. Prints what
// the kernel counts as resident, at the end and at most.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildWatcher } from '../watcher/build.ts'
import { nodeEnvironment, nodeFlags } from '../watcher/process-settings.ts'
import { startGeneratedCluster } from './generated-cluster.ts'

const size = { pods: Number(process.env['PODS'] ?? 20_000), nodes: Number(process.env['NODES'] ?? 2_000) }
const secondsAfterFirst = 30
const longestSeconds = 300
const limitMiB = 100

const cluster = await startGeneratedCluster(size)
const folder = mkdtempSync(join(tmpdir(), 'kpssh-bench-'))
writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig)
writeFileSync(join(folder, 'ca.pem'), cluster.caPem)
const watcher = spawn(process.execPath, [...nodeFlags, await buildWatcher(join(folder, 'main.cjs'))], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...nodeEnvironment,
    KPSSH_CLUSTER: 'bench',
    KPSSH_EVENTS_QUEUE: `${cluster.url}/000000000000/events.fifo`,
    KPSSH_SQS_ENDPOINT: cluster.url,
    KPSSH_HEALTH_PORT: '0',
    AWS_REGION: 'us-east-1',
    KUBECONFIG: join(folder, 'kubeconfig'),
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  },
})

let firstAfterSeconds = 0
for (let elapsed = 1, left = secondsAfterFirst; left > 0 && elapsed < longestSeconds; elapsed += 1) {
  await pause(1_000)
  if (cluster.messageBytes.length > 0) left -= 1
  else firstAfterSeconds = elapsed
}
const resident = memoryMiB('VmRSS')
const largest = memoryMiB('VmHWM')
const processorSeconds = processorTime()
watcher.kill('SIGTERM')
cluster.close()
rmSync(folder, { recursive: true, force: true })

console.log(
  `watcher with ${size.pods} pods and ${size.nodes} nodes, ${secondsAfterFirst} s after its first message:`,
)
console.log(
  `  resident  ${resident.toFixed(0)} MiB, at most ${largest.toFixed(0)} MiB; target ${limitMiB} MiB`,
)
console.log(`  processor ${processorSeconds.toFixed(1)} s, first message after ${firstAfterSeconds} s`)
console.log(
  `  messages  ${cluster.messageBytes.length}, the largest ${Math.max(0, ...cluster.messageBytes)} bytes`,
)
process.exitCode = resident <= limitMiB && cluster.messageBytes.length > 0 ? 0 : 1

function memoryMiB(field: string): number {
  const status = readFileSync(`/proc/${watcher.pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
}

function processorTime(): number {
  const [user, system] = readFileSync(`/proc/${watcher.pid}/stat`, 'utf8').split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / 100
}
