// The environment contract: nine fixed names that are always there, one variable per var and per key of the join Secret.
import { SpecError } from '../errors/spec-error.ts'
import { contextForPhase, type JoinContext } from './join-context.ts'
import { requireExportable, type Environment } from './raw-preamble.ts'
import type { ScriptPhase } from './script-phase.ts'

/** Throws SpecError (SecretKeyCollision, EnvironmentInvalid). */
export function buildEnvironment(phase: ScriptPhase, context: JoinContext): Environment {
  const seen = contextForPhase(phase, context)
  const environment: Environment = {
    KPSSH_CLUSTER_ENDPOINT: seen.ClusterEndpoint,
    KPSSH_CLUSTER_CA_B64: seen.ClusterCACert.replace(/\s+/g, ''),
    KPSSH_BOOTSTRAP_TOKEN: seen.BootstrapToken,
    KPSSH_NODE_NAME: seen.NodeName,
    KPSSH_PROVIDER_ID: seen.ProviderID,
    KPSSH_NODE_LABELS: seen.NodeLabels,
    KPSSH_TAINTS: seen.RegisterWithTaints,
    KPSSH_HOST_ADDRESS: seen.HostAddress,
    KPSSH_NODE_ADDRESS: seen.NodeAddress,
    ...varVariables(seen.Vars ?? {}),
    ...secretVariables(seen.Secrets ?? {}),
  }
  for (const [name, value] of Object.entries(environment)) requireExportable(name, value)
  return environment
}

/** KPSSH_VAR_<name> of each. */
export function varVariables(vars: Readonly<Record<string, string>>): Environment {
  return Object.fromEntries(Object.entries(vars).map(([key, value]) => [`KPSSH_VAR_${key}`, value]))
}

function secretVariables(secrets: Readonly<Record<string, string>>): Environment {
  const keyByName = new Map<string, string>()
  for (const key of Object.keys(secrets).sort()) {
    const name = `KPSSH_SECRET_${key.toUpperCase().replace(/[-.]/g, '_')}`
    const other = keyByName.get(name)
    if (other !== undefined) {
      throw new SpecError(
        `Cannot export key "${key}" of the join secret: key "${other}" becomes "${name}" as well, rename one of them`,
        { reason: 'SecretKeyCollision', details: { key, other, name } },
      )
    }
    keyByName.set(name, key)
  }
  return Object.fromEntries([...keyByName].map(([name, key]) => [name, secrets[key] ?? '']))
}
