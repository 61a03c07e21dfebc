import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Environment } from '../../../lib/runtime/environment.ts'

export const usage = `npm start [-- options]

Runs kpssh on this machine: with KUBECONFIG set on that cluster, otherwise on a demo cluster with demo hosts.

  --yes                write what a cluster lacks (CustomResourceDefinitions, a namespace) without asking
  --name NAME          what to call the cluster, and the pool of its hosts; default "local", without KUBECONFIG "demo"
  --namespace NAME     where SSH key Secrets live; default "kpssh-system"
  --guard-seconds N    run the guard every N seconds instead of every two minutes
  --help               show this`

export interface StartOptions {
  readonly isHelp: boolean
  readonly isYes: boolean
  readonly kubeconfig: string | undefined
  readonly name: string
  readonly namespace: string
  readonly guardSeconds: number | undefined
}

/** Throws an Error, for people. */
export function readStartOptions(args: readonly string[], environment: Environment): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      name: { type: 'string' },
      namespace: { type: 'string', default: 'kpssh-system' },
      'guard-seconds': { type: 'string' },
    },
  })
  const kubeconfig = kubeconfigOf(environment)
  return {
    isHelp: values.help,
    isYes: values.yes,
    kubeconfig,
    name: checkedName(values.name ?? (kubeconfig === undefined ? 'demo' : 'local')),
    namespace: values.namespace,
    guardSeconds: secondsOf(values['guard-seconds'] ?? environment['KPSSH_LOCAL_GUARD_SECONDS']),
  }
}

const demoKubeconfig = resolve(import.meta.dirname, '../../../.kpssh/demo-kubeconfig')

/** What was exported to look at the demo means the demo: its cluster ends with `npm start`. */
function kubeconfigOf({ KUBECONFIG = '' }: Environment): string | undefined {
  return KUBECONFIG === '' || resolve(KUBECONFIG) === demoKubeconfig ? undefined : KUBECONFIG
}

function checkedName(name: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) return name
  throw new Error(`Cannot call a cluster "${name}": use lower-case letters, digits, dashes and dots`)
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds >= 1) return seconds
  throw new Error(`Cannot run the guard every "${text}" seconds: not a number of at least 1`)
}
