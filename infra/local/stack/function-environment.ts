// The environment of `serverless offline`: what the shell has, where the emulators are, and the settings that differ from
// those of a deployment. Emulators accept any credentials, but the SDK wants some.
import { join } from 'node:path'
import { readEnvironment, type Environment } from '../../../lib/runtime/environment.ts'
import type { StackCluster } from './local-stack.ts'

export const region = 'eu-central-1'

export interface FunctionEnvironmentOptions {
  readonly cluster: StackCluster
  readonly queueEndpoint: string
  readonly tableEndpoint: string
  readonly stateFolder?: string
  readonly guardSeconds?: number
}

export function functionEnvironment(options: FunctionEnvironmentOptions): Environment {
  const { cluster } = options
  const connection = {
    kind: 'kubeconfigFile',
    path: cluster.kubeconfig,
    ...(cluster.context === undefined ? {} : { context: cluster.context }),
  }
  const settings = {
    // An emulated queue knows no senders.
    KPSSH_CLUSTERS: JSON.stringify({ [cluster.name]: { connection, senders: ['*'] } }),
    KPSSH_FUNCTION_SENDERS: '*',
    KPSSH_NAMESPACE: cluster.namespace,
    POWERTOOLS_METRICS_DISABLED: 'true',
    // A guard that runs more often looks at every host each time, as it does at its declared rate.
    ...(options.guardSeconds === undefined
      ? {}
      : { KPSSH_PROBE_INTERVAL_SECONDS: String(Math.max(1, options.guardSeconds - 1)) }),
  }
  return {
    ...readEnvironment(),
    AWS_PROFILE: undefined,
    AWS_SESSION_TOKEN: undefined,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: options.queueEndpoint,
    AWS_ENDPOINT_URL_DYNAMODB: options.tableEndpoint,
    KPSSH_BUILD_FOLDER: join(options.stateFolder ?? '.kpssh', 'build'),
    KPSSH_LOCAL_SETTINGS: JSON.stringify(settings),
    ...(options.guardSeconds === undefined
      ? {}
      : { KPSSH_LOCAL_GUARD_SECONDS: String(options.guardSeconds) }),
  }
}
