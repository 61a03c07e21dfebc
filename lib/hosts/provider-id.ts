import { providerIDScheme } from '../api/names.ts'
import type { HostKey } from './host-record.ts'

/** The providerID of every host whose profile does not bring one of its own. */
export function staticProviderID({ namespace, name }: HostKey): string {
  return `${providerIDScheme}${namespace}/${name}`
}
