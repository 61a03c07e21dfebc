/** Why a pod was not placed: by one pool, or before any pool was asked. */
export interface Reason {
  readonly code:
    /** No pool of ours is Ready. */
    | 'NoNodePool'
    /** A pool of somebody else's could serve it, and the pod does not say that it wants ours. */
    | 'LeftToNeighbor'
    /** It selects by a label that nodes get from the kubelet or from Karpenter alone, or by something unreadable. */
    | 'PodInvalid'
    /** It has a hard rule on pod affinity or spreading. */
    | 'RuleNotSupported'
    | 'TaintNotTolerated'
    | 'RequirementsConflict'
    | 'LimitReached'
    /** No free host is large enough, or right enough. */
    | 'NoHostFits'
    /** Hosts that fit are all taken by NodeClaims. */
    | 'NoFreeHost'
    | 'TooFewValues'
    | 'HostPortTaken'
  readonly nodePool?: string
  readonly message: string
}

export interface UnplacedPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly reasons: readonly Reason[]
}
