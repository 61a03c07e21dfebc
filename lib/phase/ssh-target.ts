import type { Secret } from '../api/secret.ts'
import type { SshTarget } from '../execution/ports.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { KubernetesReader } from '../kubernetes/ports.ts'
import { secrets } from '../kubernetes/resources.ts'
import { sshCredentialsOf, type ParseKnownHost } from './ssh-credentials.ts'

/**
 * The address is the record's: it is kept while the machine behind it is owed something, whatever an SSHHost of that name says
 * now. Throws SpecError.
 */
export function sshTargetFrom(
  record: HostRecord,
  sshKey: Secret | undefined,
  parseKnownHost: ParseKnownHost,
): SshTarget {
  const { namespace, name } = record.key
  const secretName = `${namespace}/${record.sshKeySecret}`
  const { pins, ...keys } = sshCredentialsOf(sshKey, secretName, parseKnownHost)
  return {
    label: `${namespace}/${name}`,
    address: record.address,
    port: record.port,
    user: record.user,
    ...keys,
    pins: pins.length > 0 ? pins : record.hostKeys,
    ...(record.verified && { verified: { shimCommand: record.verified.shimCommand } }),
  }
}

/** Reads the key anew for every contact, so that a rotated one is used at the next. Throws SpecError. */
export async function sshTargetOf(
  kubernetes: KubernetesReader,
  record: HostRecord,
  parseKnownHost: ParseKnownHost,
): Promise<SshTarget> {
  const sshKey = await kubernetes.get(secrets, record.sshKeySecret, record.key.namespace)
  return sshTargetFrom(record, sshKey, parseKnownHost)
}
