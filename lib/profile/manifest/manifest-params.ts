// What a manifest lets a script be told: the fixed variables, each with the form it has, the declared vars, and the secrets
// that the scripts read. What runs without a cluster at hand gets the addresses of its host alone.
import type { Parameter, Profile } from '../profile.ts'
import { seesAddressesOnly, type ScriptPhase } from '../script-phase.ts'
import { convertPattern } from './author-pattern.ts'
import type { ManifestParam } from './manifest.ts'

export type ManifestParams =
  | { readonly kind: 'params'; readonly params: readonly ManifestParam[] }
  | {
      readonly kind: 'refused'
      /** `spec.parameters[2].pattern`. */
      readonly field: string
      /** To be read right after the field. */
      readonly message: string
    }

const nothing = '.{0}'
/** Printable, on one line. No count limits it: what is handed to a host is limited as a whole. */
const printable = '[ -~]*'
const labelKey = '[A-Za-z0-9./_-]+'
const labelValue = '[A-Za-z0-9._-]*'
const label = `${labelKey}=${labelValue}`
const taint = `${labelKey}(=${labelValue})?:(NoSchedule|PreferNoSchedule|NoExecute)`
const address = '[0-9A-Za-z.:%_-]{1,253}'
const hostName = '(\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9.-]{1,253})'

const fixed: Readonly<Record<string, string>> = {
  KPSSH_BOOTSTRAP_TOKEN: '([a-z0-9]{6}\\.[a-z0-9]{16})?',
  KPSSH_CLUSTER_CA_B64: '[A-Za-z0-9+/]*={0,2}',
  KPSSH_CLUSTER_ENDPOINT: `(https://${hostName}(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]{0,200})?)?`,
  KPSSH_HOST_ADDRESS: address,
  KPSSH_NODE_ADDRESS: address,
  KPSSH_NODE_LABELS: `(${label}(,${label})*)?`,
  KPSSH_NODE_NAME: '[a-z0-9.-]{0,253}',
  KPSSH_PROVIDER_ID: '(kpssh://[a-z0-9-]{1,63}/[a-z0-9.-]{1,253})?',
  KPSSH_TAINTS: `(${taint}(,${taint})*)?`,
}
const addresses: ReadonlySet<string> = new Set(['KPSSH_HOST_ADDRESS', 'KPSSH_NODE_ADDRESS'])

/** Sorted by name. */
export function manifestParams(profile: Profile, phase: ScriptPhase): ManifestParams {
  const own = fixedParams(phase)
  if (seesAddressesOnly(phase)) return { kind: 'params', params: own }
  const vars: ManifestParam[] = []
  for (const [index, parameter] of (profile.spec.parameters ?? []).entries()) {
    const pattern = patternOf(parameter)
    if (pattern.kind === 'invalid') {
      const message = `of "${parameter.name}" cannot be signed, ${pattern.message}`
      return { kind: 'refused', field: `spec.parameters[${index}].pattern`, message }
    }
    vars.push({ name: `KPSSH_VAR_${parameter.name}`, pattern: pattern.pattern })
  }
  const secrets = secretNames(profile).map((name) => ({ name, pattern: printable }))
  const params = [...own, ...vars, ...secrets].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { kind: 'params', params }
}

function fixedParams(phase: ScriptPhase): readonly ManifestParam[] {
  return Object.entries(fixed).map(([name, pattern]) => {
    const isEmpty =
      (seesAddressesOnly(phase) && !addresses.has(name)) ||
      (phase === 'install' && name === 'KPSSH_BOOTSTRAP_TOKEN')
    return { name, pattern: isEmpty ? nothing : pattern }
  })
}

/** A pattern says more than a type, which is checked before a host is told anything. */
function patternOf({ type, pattern }: Parameter) {
  if (pattern !== undefined) return convertPattern(pattern)
  if (type === 'Integer') return { kind: 'pattern', pattern: '-?(0|[1-9][0-9]*)' } as const
  if (type === 'Boolean') return { kind: 'pattern', pattern: '(true|false)' } as const
  return { kind: 'pattern', pattern: printable } as const
}

/** A join Secret is not part of a profile: what scripts name is what they may be told. */
function secretNames({ spec }: Profile): readonly string[] {
  const text = Object.values(spec.scripts).join('\n')
  const names = [...text.matchAll(/\bKPSSH_SECRET_[A-Za-z0-9_]+/g)].map(([name]) => name)
  return [...new Set(names)].sort()
}
