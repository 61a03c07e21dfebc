// `kubeadm join --config FILE`, as far as its effects on a host go: preflight, discovery with a pinned CA, the kubelet's
// configuration, and then the kubelet's own TLS bootstrap is waited for.
import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { discoverCa } from './discover.ts'
import { writeBootstrapConfig } from './bootstrap-config.ts'

const JoinConfiguration = z.looseObject({
  discovery: z.object({
    bootstrapToken: z.object({
      token: z.string(),
      apiServerEndpoint: z.string(),
      caCertHashes: z.array(z.string()),
    }),
  }),
  nodeRegistration: z.object({
    name: z.string(),
    kubeletExtraArgs: z.array(z.object({ name: z.string(), value: z.string() })),
  }),
  patches: z.object({ directory: z.string() }),
})

const written = [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/bootstrap-kubelet.conf',
  '/etc/kubernetes/pki/ca.crt',
]
const [kubeletConfig = '', bootstrapConfig = '', caFile = ''] = written

const config = JoinConfiguration.parse(parse(readFileSync(process.argv[2] ?? '', 'utf8')))
preflight()
const server = `https://${config.discovery.bootstrapToken.apiServerEndpoint}`
const caPem = await discoverCa(server)
checkHash()
mkdirSync('/etc/kubernetes/pki', { recursive: true })
writeFileSync(caFile, caPem)
writeBootstrapConfig(bootstrapConfig, { server, caPem, token: config.discovery.bootstrapToken.token })
writeKubeletConfiguration()
execFileSync('systemctl', ['daemon-reload'])
execFileSync('systemctl', ['restart', 'kubelet'])
await waitForCertificate()
rmSync(bootstrapConfig)
console.log('This node has joined the cluster')

function preflight(): void {
  for (const file of written.filter(existsSync)) fail(`[ERROR FileAvailable]: ${file} already exists`)
  if (existsSync('/var/lib/kubelet/config.yaml')) fail('[ERROR]: /var/lib/kubelet is not empty')
}

function checkHash(): void {
  const key = new X509Certificate(caPem).publicKey.export({ type: 'spki', format: 'der' })
  const hash = `sha256:${createHash('sha256').update(key).digest('hex')}`
  if (!config.discovery.bootstrapToken.caCertHashes.includes(hash)) fail(`none of the public keys are pinned`)
}

function writeKubeletConfiguration(): void {
  const patch = readFileSync(`${config.patches.directory}/kubeletconfiguration+merge.yaml`, 'utf8')
  const { name, kubeletExtraArgs } = config.nodeRegistration
  const flags = kubeletExtraArgs.map((each) => `--${each.name}=${each.value}`)
  mkdirSync('/var/lib/kubelet', { recursive: true })
  writeFileSync('/var/lib/kubelet/config.yaml', patch)
  writeFileSync(
    '/var/lib/kubelet/kubeadm-flags.env',
    `KUBELET_KUBEADM_ARGS="--hostname-override=${name} ${flags.join(' ')}"\n`,
  )
}

async function waitForCertificate(): Promise<void> {
  for (let round = 0; round < 300; round += 1) {
    if (existsSync(kubeletConfig)) return
    await sleep(100)
  }
  fail('timed out waiting for the kubelet to bootstrap: context deadline exceeded')
}

function fail(message: string): never {
  console.error(`error execution phase: ${message}`)
  process.exit(1)
}
