// Fingerprint of what a join bakes into a node. The bytes hashed are those that Go's encoding/json writes for the same
// fields, so that annotations written by the Go implementation stay comparable.
import { createHash } from 'node:crypto'
import type { SSHNodeClassSpec } from './ssh-node-class.ts'

export type JoinInputs = Partial<
  Pick<SSHNodeClassSpec, 'vars' | 'joinSecretRef' | 'providerIDSource' | 'cluster'>
>

/** 16 hex digits. Selector, price, reservations and the profile do not count: they do not change a joined node. */
export function joinHash(spec: JoinInputs): string {
  return createHash('sha256').update(goJSON(spec)).digest('hex').slice(0, 16)
}

/** Keys in the order of Go's struct, each left out when empty; the keys of vars sorted by their bytes. */
function goJSON({ vars, joinSecretRef, providerIDSource, cluster }: JoinInputs): string {
  const members = [
    member('vars', vars && Object.keys(vars).length > 0 ? sortedMembers(vars) : undefined),
    member('joinSecretRef', joinSecretRef && sortedMembers(joinSecretRef)),
    member('providerIDSource', providerIDSource && goString(providerIDSource)),
    member('cluster', cluster && clusterJSON(cluster)),
  ]
  return `{${members.filter((text) => text !== '').join(',')}}`
}

function clusterJSON({ endpoint, caBundle }: NonNullable<JoinInputs['cluster']>): string {
  const members = [
    member('endpoint', goString(endpoint)),
    member('caBundle', caBundle ? goString(caBundle) : undefined),
  ]
  return `{${members.filter((text) => text !== '').join(',')}}`
}

function member(name: string, json: string | undefined): string {
  return json ? `${goString(name)}:${json}` : ''
}

/** Keys here are ASCII, where byte order and the order of UTF-16 units agree. */
function sortedMembers(record: Readonly<Record<string, string>>): string {
  const members = Object.keys(record)
    .sort()
    .map((key) => `${goString(key)}:${goString(record[key] ?? '')}`)
  return `{${members.join(',')}}`
}

/** Go escapes what would matter inside HTML, JavaScript does not. */
function goString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
