// `k3s agent`: reads its configuration as the real one does, holds the server's CA against the token, becomes a Node, and
// only then tells systemd that it is ready.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { obtainCredentials } from '../../../../infra/local/demo-hosts/kubelet/credentials.ts'
import { readFlags } from '../../../../infra/local/demo-hosts/kubelet/flags.ts'
import { keepHeartbeat } from '../../../../infra/local/demo-hosts/kubelet/heartbeat.ts'
import { readMachine } from '../../../../infra/local/demo-hosts/kubelet/machine.ts'
import { makeNodeApi } from '../../../../infra/local/demo-hosts/kubelet/node-api.ts'
import { registerNode } from '../../../../infra/local/demo-hosts/kubelet/register-node.ts'
import { discoverCa } from './discover.ts'
import { writeBootstrapConfig } from './bootstrap-config.ts'

const AgentConfig = z.strictObject({
  server: z.string(),
  'token-file': z.string(),
  'node-name': z.string(),
  'node-ip': z.string(),
  'node-label': z.array(z.string()),
  'node-taint': z.array(z.string()),
  'kubelet-arg': z.array(z.string()),
})

const configFolder = '/etc/rancher/k3s/config.yaml.d'
const agent = '/var/lib/rancher/k3s/agent'
const password = '/etc/rancher/node/password'
const log = (message: string): void => console.error(message)

try {
  const flags = readFlags(kubeletFlags(await bootstrap()))
  const credentials = await obtainCredentials(flags, log)
  rmSync(`${agent}/bootstrap.kubeconfig`, { force: true })
  writeFileSync(`${agent}/client-kubelet.crt`, credentials.certPem ?? '')
  writeFileSync(`${agent}/client-kubelet.key`, credentials.keyPem ?? '', { mode: 0o600 })
  const api = makeNodeApi(credentials)
  const kubelet = { flags, machine: await readMachine(''), log }
  await registerNode(api, kubelet)
  execFileSync('systemd-notify', ['--ready'])
  await keepHeartbeat(api, kubelet)
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

async function bootstrap(): Promise<z.infer<typeof AgentConfig>> {
  const config = AgentConfig.parse(
    Object.assign(
      {},
      ...readdirSync(configFolder)
        .toSorted()
        .map((name) => parse(readFileSync(`${configFolder}/${name}`, 'utf8')) as object),
    ),
  )
  const [, hash = '', token = ''] =
    /^K10([0-9a-f]{64})::(\S+)$/.exec(readFileSync(config['token-file'], 'utf8').trim()) ?? []
  const caPem = await discoverCa(config.server)
  if (createHash('sha256').update(`${caPem.trimEnd()}\n`).digest('hex') !== hash) {
    throw new Error('token CA hash does not match the Cluster CA certificate hash')
  }
  if (!existsSync(password)) {
    mkdirSync('/etc/rancher/node', { recursive: true })
    writeFileSync(password, 'the password of this node\n', { mode: 0o600 })
  }
  writeBootstrapConfig(`${agent}/bootstrap.kubeconfig`, { server: config.server, caPem, token })
  return config
}

function kubeletFlags(config: z.infer<typeof AgentConfig>): string[] {
  return [
    `--kubeconfig=${agent}/kubelet.kubeconfig`,
    `--bootstrap-kubeconfig=${agent}/bootstrap.kubeconfig`,
    `--hostname-override=${config['node-name']}`,
    `--node-ip=${config['node-ip']}`,
    `--node-labels=${config['node-label'].join(',')}`,
    `--register-with-taints=${config['node-taint'].join(',')}`,
    ...config['kubelet-arg'].filter((each) => each.startsWith('provider-id=')).map((each) => `--${each}`),
  ]
}
