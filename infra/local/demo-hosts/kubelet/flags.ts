// The flags of a real kubelet that a join needs, by their real names.
import { parseArgs } from 'node:util'
import { hostname } from 'node:os'
import { parseTaintsFlag, type Taint } from '../../../../lib/api/taint.ts'

export interface KubeletFlags {
  readonly kubeconfig: string
  readonly bootstrapKubeconfig: string
  readonly nodeName: string
  readonly nodeIP: string
  readonly providerID: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
}

export function readFlags(args: readonly string[]): KubeletFlags {
  const text = { type: 'string', default: '' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      kubeconfig: text,
      'bootstrap-kubeconfig': text,
      'hostname-override': text,
      'node-ip': text,
      'provider-id': text,
      'node-labels': text,
      'register-with-taints': text,
    },
  })
  const taints = values['register-with-taints']
  if (values.kubeconfig === '') throw new Error('--kubeconfig is required')
  return {
    kubeconfig: values.kubeconfig,
    bootstrapKubeconfig: values['bootstrap-kubeconfig'],
    nodeName: values['hostname-override'] || hostname().toLowerCase(),
    nodeIP: values['node-ip'],
    providerID: values['provider-id'],
    labels: readLabels(values['node-labels']),
    taints: taints === '' ? [] : parseTaintsFlag(taints),
  }
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', ...rest] = pair.split('=')
      return [key, rest.join('=')]
    }),
  )
}
