// What every shipped profile must do to a host that systemd has booted, over the product's own SSH: installed, joined, left
// and joined again, rebooted as a stranger and as a member, uninstalled. The kubelet and what comes with it are stand-ins;
// units, boots, logins and the cluster's certificates are not.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listOf, recordOf, valueAt } from '../../../infra/local/kube-api/json.ts'
import { shippedProfile } from '../../../lib/cli/shipped-profiles.ts'
import { makeJoinContext } from '../../../lib/profile/join-context.ts'
import { renderPhase } from '../../../lib/profile/render-phase.ts'
import type { ScriptPhase } from '../../../lib/profile/script-phase.ts'
import type { MachineState, PhaseEnd } from '../../../lib/proof/ports.ts'
import { startHostCluster, type HostCluster } from '../../support/systemd-host/host-cluster.ts'
import { lookForNeeds, skippedWhere } from '../../support/systemd-host/needs.ts'
import { stateDifferences } from '../../support/systemd-host/state-differences.ts'
import {
  makeSystemdHost,
  type SystemdHost,
  type SystemdHostOptions,
} from '../../support/systemd-host/systemd-host.ts'
import { assertWayInIsAsBefore, bindWayIn } from '../../support/systemd-host/way-in.ts'

export interface HostProof {
  readonly profile: string
  /** The host before install. */
  readonly host: Pick<SystemdHostOptions, 'programs' | 'files'>
  /** What must be on the host before install and depends on the cluster. */
  readonly prepare?: (host: SystemdHost, cluster: HostCluster) => Promise<void>
  readonly vars: Readonly<Record<string, string>>
  readonly secrets?: (cluster: HostCluster) => Readonly<Record<string, string>>
  /** What join switches on and leave off. */
  readonly units: readonly string[]
  /** Default: the name that join is told. */
  readonly nodeName?: string
  /** Absent where the mechanism does not pass it on. */
  readonly providerID?: string
  /** What only a member has. */
  readonly credentials: readonly string[]
  /** What leave must not take away. */
  readonly kept: readonly string[]
  /** What is not as it was before install: nothing else may be. */
  readonly leftByUninstall: readonly string[]
}

export interface ProvenHost {
  readonly host: SystemdHost
  readonly cluster: HostCluster
}

const claimName = 'claim-1'

/** `more`: what only this profile promises, before uninstall. */
export async function proveOnHost(
  proof: HostProof,
  more?: (proven: () => ProvenHost) => void,
): Promise<void> {
  const needs = await lookForNeeds()
  describe(`${proof.profile} on a host that systemd has booted`, skippedWhere(needs), () => {
    let host: SystemdHost
    let cluster: HostCluster
    let atFirst: MachineState
    let afterLeave: MachineState

    before(async () => {
      assert.ok(needs.kind === 'met')
      host = await makeSystemdHost({ tree: needs.tree, ...proof.host })
      cluster = await startHostCluster(host.gateway)
      await proof.prepare?.(host, cluster)
      atFirst = await host.state()
    })
    after(async () => {
      await cluster?.close()
      await host?.close()
    })

    const node = proof.nodeName ?? claimName
    const attempt = async (phase: ScriptPhase): Promise<PhaseEnd> => {
      const { manifest } = await shippedProfile(proof.profile)
      const token = cluster.mintToken()
      const context = makeJoinContext({
        host: { address: host.address },
        cluster: { endpoint: cluster.url, caBundle: Buffer.from(cluster.caPem).toString('base64') },
        bootstrapToken: token,
        nodeName: claimName,
        providerID: 'kpssh://pool/one',
        labels: { 'example.com/a': 'b' },
        taints: [],
        vars: proof.vars,
        secrets: proof.secrets?.(cluster),
      })
      const end = await host.run({ phase, rendered: renderPhase(manifest, phase, context) })
      cluster.revokeToken(token)
      return end
    }
    const run = async (phase: ScriptPhase): Promise<void> => {
      const { exitCode, output } = await attempt(phase)
      assert.equal(exitCode, 0, `${phase}: ${output}`)
    }
    const assertUnits = ({ units }: MachineState, enablement: string, activity: string): void => {
      for (const unit of proof.units) assert.deepEqual(units.get(unit), { enablement, activity }, unit)
    }
    const assertMember = async (): Promise<MachineState> => {
      await cluster.becomesReady(node)
      const state = await host.state()
      assertUnits(state, 'enabled', 'active')
      assert.deepEqual(absent(state, proof.credentials), [])
      return state
    }
    const assertLeft = async (): Promise<MachineState> => {
      const state = await host.state()
      assertUnits(state, 'disabled', 'inactive')
      assert.deepEqual(present(state, proof.credentials), [])
      assert.deepEqual(absent(state, proof.kept), [])
      assert.deepEqual([state.mounts, state.devices, state.containers], [[], atFirst.devices, 0])
      return state
    }

    it('install leaves its units stopped and disabled, and the host no node', async () => {
      await run('install')
      const state = await host.state()
      assertUnits(state, 'disabled', 'inactive')
      assert.deepEqual(cluster.nodes(), [])
    })

    it('join makes it a node that is ready, as the control plane wants it', async () => {
      await run('join')
      await assertMember()
      const joined = cluster.node(node)
      assert.deepEqual(cluster.nodes(), [node])
      assert.equal(valueAt(joined, ['metadata', 'labels', 'example.com/a']), 'b')
      assert.equal(valueAt(joined, ['spec', 'providerID']), proof.providerID)
      const taints = listOf(valueAt(joined, ['spec', 'taints'])).map(recordOf)
      assert.ok(taints.some(({ key }) => key === 'karpenter.sh/unregistered'))
      const addresses = listOf(valueAt(joined, ['status', 'addresses'])).map(recordOf)
      assert.deepEqual(addresses[0], { type: 'InternalIP', address: host.address })
    })

    it('leave takes the membership', async () => {
      await run('leave')
      cluster.removeNode(node)
      afterLeave = await assertLeft()
    })

    it('a second membership is like the first, and so is what its leave leaves behind', async () => {
      await run('join')
      await assertMember()
      await run('leave')
      cluster.removeNode(node)
      assert.deepEqual(stateDifferences(afterLeave, await assertLeft()), [])
    })

    it('a host that left stays out across a reboot', async () => {
      await host.reboot()
      assert.deepEqual(stateDifferences(afterLeave, await assertLeft()), [])
      assert.deepEqual(cluster.nodes(), [])
    })

    it('join alone reconnects it after the reboot', async () => {
      await run('join')
      await assertMember()
    })

    it('a member is a member again after a reboot', async () => {
      cluster.removeNode(node)
      await host.reboot()
      await assertMember()
    })

    it('SSH-35: leave keeps the way in, also where a pod has it mounted', async () => {
      const release = await bindWayIn(host)
      await run('leave')
      cluster.removeNode(node)
      assertWayInIsAsBefore(atFirst, await host.state())
      await release()
      assert.deepEqual(stateDifferences(afterLeave, await assertLeft()), [])
    })

    it('SSH-35: uninstall refuses as long as the way in is mounted below the kubelet', async () => {
      const release = await bindWayIn(host)
      const { exitCode, output } = await attempt('uninstall')
      assert.equal(exitCode, 1)
      assert.match(output, /^StillMounted: .*\/var\/lib\/kubelet\/pods\/35a0c0de\/volumes\/host\/home/m)
      assertWayInIsAsBefore(atFirst, await host.state())
      await release()
      assert.deepEqual(stateDifferences(afterLeave, await assertLeft()), [])
    })

    more?.(() => ({ host, cluster }))

    it('SSH-35: uninstall gives back the host as it was, with the way in', async () => {
      await run('uninstall')
      const state = await host.state()
      assert.deepEqual(stateDifferences(atFirst, state), proof.leftByUninstall)
      assertWayInIsAsBefore(atFirst, state)
    })
  })
}

function present({ files }: MachineState, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => files.has(path))
}

function absent({ files }: MachineState, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !files.has(path))
}
