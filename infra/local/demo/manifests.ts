export function podManifest(name: string, cpu: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: name } },
    spec: {
      containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu, memory: '256Mi' } } }],
      terminationGracePeriodSeconds: 1,
    },
  }
}

export function nodeClassManifest(cluster: { readonly endpoint: string; readonly caBundle: string }): object {
  return {
    apiVersion: 'karpenter.dklesev.github.io/v1beta1',
    kind: 'SSHNodeClass',
    metadata: { name: 'demo' },
    spec: { joinProfileRef: { name: 'demo' }, cluster },
  }
}

export function nodePoolManifest(): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'workers' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'demo' },
          requirements: [],
          expireAfter: 'Never',
        },
      },
      disruption: { consolidateAfter: '2s', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] },
    },
  }
}
