// `nodeadm init`: registers the host once, which uses up an activation, and configures its kubelet. AWS is a file.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { writeBootstrapConfig } from './bootstrap-config.ts'

const Aws = z.strictObject({
  /** What SSM calls the host. */
  instanceID: z.string(),
  activationCode: z.string(),
  cluster: z.strictObject({ name: z.string(), server: z.string(), caPem: z.string(), token: z.string() }),
})
const NodeConfig = z.looseObject({
  spec: z.looseObject({
    cluster: z.strictObject({ name: z.string(), region: z.string() }),
    hybrid: z.strictObject({
      ssm: z.strictObject({ activationId: z.string(), activationCode: z.string() }),
    }),
    kubelet: z.looseObject({ flags: z.array(z.string()) }),
  }),
})

const registration = '/var/lib/amazon/ssm/registration'
const activationsUsed = '/var/lib/stand-in/activations-used'

const aws = Aws.parse(JSON.parse(readFileSync('/etc/stand-in/aws.json', 'utf8')))
const { spec } = NodeConfig.parse(parse(readFileSync(process.argv[2] ?? '', 'utf8')))
if (spec.cluster.name !== aws.cluster.name) fail('no cluster found')
if (!existsSync(registration)) register()
configureKubelet()

function register(): void {
  if (spec.hybrid.ssm.activationCode !== aws.activationCode) fail('InvalidActivation')
  const used = existsSync(activationsUsed) ? Number(readFileSync(activationsUsed, 'utf8')) : 0
  write(activationsUsed, String(used + 1))
  const { region } = spec.cluster
  write(registration, JSON.stringify({ ManagedInstanceID: aws.instanceID, Region: region }), 0o600)
}

function configureKubelet(): void {
  const bootstrap = '/etc/eks/kubelet/bootstrap-kubeconfig'
  writeBootstrapConfig(bootstrap, aws.cluster)
  const flags = [
    `--hostname-override=${aws.instanceID}`,
    '--kubeconfig=/var/lib/kubelet/kubeconfig',
    `--bootstrap-kubeconfig=${bootstrap}`,
    ...spec.kubelet.flags,
  ]
  mkdirSync('/var/lib/kubelet', { recursive: true })
  write('/etc/eks/kubelet/environment', `NODEADM_KUBELET_ARGS="${flags.join(' ')}"\n`)
}

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
