// Every fixed name that clusters see: groups, labels, annotations, finalizers, taints. One place, so that a search for a
// string found in a cluster ends here.

export const kpsshGroup = 'karpenter.dklesev.github.io'
export const kpsshVersion = 'v1beta1'
export const kpsshApiVersion = `${kpsshGroup}/${kpsshVersion}`
export const karpenterGroup = 'karpenter.sh'
export const karpenterVersion = 'v1'
export const karpenterApiVersion = `${karpenterGroup}/${karpenterVersion}`

export const sshNodeClassKind = 'SSHNodeClass'

export const labels = {
  /** On SSHHost: its class; missing or empty means `default`. */
  hostClass: 'karpenter.dklesev.github.io/host-class',
  /** Set by users in a NodePool's template, never by us: this Node came over SSH. */
  managed: 'karpenter.dklesev.github.io/managed',
  /** `<nodeClassRef.group>/<lower-case kind>`: what makes a NodeClaim and a Node ours. */
  nodeClass: 'karpenter.dklesev.github.io/sshnodeclass',
  nodePool: 'karpenter.sh/nodepool',
  capacityType: 'karpenter.sh/capacity-type',
  registered: 'karpenter.sh/registered',
  initialized: 'karpenter.sh/initialized',
  doNotSyncTaints: 'karpenter.sh/do-not-sync-taints',
  instanceType: 'node.kubernetes.io/instance-type',
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  hostname: 'kubernetes.io/hostname',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  windowsBuild: 'node.kubernetes.io/windows-build',
} as const

export const annotations = {
  /** On SSHHost, presence only: not offered, not probed. */
  maintenance: 'karpenter.dklesev.github.io/maintenance',
  /** On NodeClaim: uids of the pods it was made for, joined with commas. While they wait, its room is theirs. */
  promisedPods: 'karpenter.dklesev.github.io/promised-pods',
  nodeClassHash: 'karpenter.dklesev.github.io/nodeclass-hash',
  nodeClassHashVersion: 'karpenter.dklesev.github.io/nodeclass-hash-version',
  /** On NodeClaim: what pods its Node had when lastPodEventTime was written last. */
  podDigest: 'karpenter.dklesev.github.io/pod-digest',
  nodePoolHash: 'karpenter.sh/nodepool-hash',
  nodePoolHashVersion: 'karpenter.sh/nodepool-hash-version',
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  /** On NodeClaim, RFC3339: after this instant drain forces. */
  terminationTimestamp: 'karpenter.sh/nodeclaim-termination-timestamp',
  minValuesRelaxed: 'karpenter.sh/nodeclaim-min-values-relaxed',
} as const

export const finalizers = {
  /** On NodeClaims and their Nodes. */
  termination: 'karpenter.sh/termination',
  /** On SSHNodeClass while NodeClaims refer to it. */
  nodeClass: 'karpenter.dklesev.github.io/termination',
  /** On SSHHost while it is claimed or has a leave pending. */
  membership: 'karpenter.dklesev.github.io/membership',
} as const

export const taints = {
  /** The kubelet registers with it; registration removes it. */
  unregistered: { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
  /** On Nodes that are about to leave. */
  disrupted: { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
} as const

/** Version of the hash that JoinHash makes, as the annotation says it. */
export const nodeClassHashVersion = 'v1'
/** Ours alone: nobody compares NodePool hashes across implementations. */
export const nodePoolHashVersion = 'kpssh-1'

/** Where a host in execMode Verified has its shim, if it does not say. */
export const defaultShimCommand = '/opt/kpssh/kpssh-shim'
export const defaultHostClass = 'default'
export const defaultZone = 'pool'
export const capacityTypeOnDemand = 'on-demand'
export const defaultAgentUnits: readonly string[] = ['kubelet']
export const defaultMaxPods = 110
export const defaultKubeReserved = { cpu: '80m', memory: '300Mi' } as const

export const providerIDScheme = 'kpssh://'
export const bootstrapTokenGroup = 'system:bootstrappers:kpssh'
export const bootstrapTokenNamespace = 'kube-system'

/** Keys of the SSH key Secret. */
export const sshKeySecretKeys = {
  privateKey: 'privateKey',
  knownHost: 'knownHost',
  passphrase: 'passphrase',
} as const
