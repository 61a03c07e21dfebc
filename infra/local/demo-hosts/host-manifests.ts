// Demo hosts as the objects of a pool: one Secret with the key, and an SSHHost for each.
import type { DemoHosts } from './start-demo-hosts.ts'

const group = 'karpenter.dklesev.github.io'
export const demoKeySecret = 'demo-ssh-key'

export interface PoolOptions {
  readonly namespace: string
  /** The host class of each host by its name. Default `default`. */
  readonly classOf?: (name: string) => string
}

/** The Secret first. Host keys are not pinned: the first connection does that, as for most real hosts. */
export function hostManifests(hosts: DemoHosts, { namespace, classOf }: PoolOptions): readonly object[] {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: demoKeySecret, namespace },
    stringData: { privateKey: hosts.privateKey },
  }
  const machines = hosts.hosts.map(({ name, address, port, user, nodeAddress, cpu, memory }) => ({
    apiVersion: `${group}/v1beta1`,
    kind: 'SSHHost',
    metadata: { name, namespace, labels: { [`${group}/host-class`]: classOf?.(name) ?? 'default' } },
    spec: {
      address,
      port,
      user,
      nodeAddress,
      capacity: { cpu: String(cpu), memory },
      sshKeySecretRef: { name: demoKeySecret },
    },
  }))
  return [secret, ...machines]
}
