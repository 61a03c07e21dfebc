// What an SSHHost says, as the host record keeps it.
import { annotations, defaultHostClass, labels } from '../api/names.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { Inventory } from '../hosts/host-event.ts'
import type { HostKey } from '../hosts/host-record.ts'
import { verifiedOf } from '../hosts/verified-of.ts'

export interface PoolSettings {
  /** Pool of SSHHosts that name none. */
  readonly defaultPool: string
  /** The one namespace whose SSHHosts count. */
  readonly namespace: string
}

export function hostKeyOf(sshHost: SSHHost, pools: PoolSettings): HostKey {
  return {
    pool: sshHost.spec.pool ?? pools.defaultPool,
    namespace: sshHost.metadata.namespace ?? pools.namespace,
    name: sshHost.metadata.name,
  }
}

/** `agentUnits` is what the profile says whose marker the host carries; the probe looks at exactly these. */
export function inventoryOf(sshHost: SSHHost, cluster: string, agentUnits: readonly string[]): Inventory {
  const { spec, metadata } = sshHost
  const verified = verifiedOf(spec)
  return {
    cluster,
    address: spec.address,
    port: spec.port,
    user: spec.user,
    ...(spec.nodeAddress === undefined ? {} : { nodeAddress: spec.nodeAddress }),
    sshKeySecret: spec.sshKeySecretRef.name,
    ...(verified === undefined ? {} : { verified }),
    hostClass: hostClassOf(sshHost),
    agentUnits,
    maintenance: metadata.annotations?.[annotations.maintenance] !== undefined,
  }
}

export function hostClassOf(sshHost: SSHHost): string {
  const value = sshHost.metadata.labels?.[labels.hostClass]
  return value === undefined || value === '' ? defaultHostClass : value
}
