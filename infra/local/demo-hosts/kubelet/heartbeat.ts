// Ready, and a Lease that is renewed for as long as the Node exists. A Node that was deleted is logged and left deleted.
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeStatus, readOwnNode, type Kubelet } from './register-node.ts'
import type { NodeApi } from './node-api.ts'

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

export async function keepHeartbeat(api: NodeApi, kubelet: Kubelet): Promise<never> {
  const { machine, flags, log } = kubelet
  await sleep(machine.readyAfterMs)
  const registered = await readOwnNode(api, flags.nodeName)
  await becomeReady(api, kubelet)
  for (;;) {
    // The Lease of a fresh Node comes one beat later than the Node, as with real kubelets.
    await sleep(machine.heartbeatMs)
    try {
      await beat(api, kubelet, registered?.uid)
    } catch (error) {
      log(`cannot renew the Lease: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

async function becomeReady(api: NodeApi, kubelet: Kubelet): Promise<void> {
  const path = `/api/v1/nodes/${kubelet.flags.nodeName}/status`
  await api.send('PATCH', path, { status: nodeStatus(kubelet, 'True') })
}

async function beat(api: NodeApi, kubelet: Kubelet, registeredUid: string | undefined): Promise<void> {
  const { nodeName } = kubelet.flags
  const node = await readOwnNode(api, nodeName)
  if (!node || node.uid !== registeredUid) {
    kubelet.log(`Node ${nodeName} not found`)
    return
  }
  await renewLease(api, nodeName, node.uid)
  // A node that was taken for lost is told to be well again.
  if (!node.isReady) await becomeReady(api, kubelet)
}

async function renewLease(api: NodeApi, nodeName: string, uid: string): Promise<void> {
  const renewTime = new Date().toISOString().replace('Z', '000Z')
  const { status } = await api.send('PATCH', `${leases}/${nodeName}`, { spec: { renewTime } })
  if (status !== 404) return
  await api.send('POST', leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: nodeName,
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid }],
    },
    spec: { holderIdentity: nodeName, leaseDurationSeconds: 40, renewTime },
  })
}
