import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { HostCluster } from '../../support/systemd-host/host-cluster.ts'
import type { SystemdHost } from '../../support/systemd-host/systemd-host.ts'
import { proveOnHost } from './host-proof.ts'

const activationCode = 'Ah4SkEyzu5aMbVcQ3nWx'
const registration = '/var/lib/amazon/ssm/registration'

/** What AWS knows, for the stand-in of nodeadm. */
async function writeAws(host: SystemdHost, cluster: HostCluster): Promise<void> {
  const { url: server, caPem } = cluster
  const aws = {
    instanceID: 'mi-0123456789abcdef0',
    activationCode,
    cluster: { name: 'edge', server, caPem, token: cluster.mintToken() },
  }
  await host.sudo(`umask 077; cat >/etc/stand-in/aws.json <<'AWS'\n${JSON.stringify(aws)}\nAWS\n`)
}

await proveOnHost(
  {
    profile: 'nodeadm-ssm',
    host: { programs: { '/usr/local/bin/nodeadm': 'nodeadm' } },
    prepare: writeAws,
    vars: { clusterName: 'edge', region: 'eu-west-1', k8sVersion: '1.36' },
    secrets: () => ({ activationId: '0a1b2c3d-4e5f-4a6b-8c7d-0123456789ab', activationCode }),
    units: ['containerd.service', 'kubelet.service'],
    nodeName: 'mi-0123456789abcdef0',
    credentials: [],
    // The identity of a hybrid node is for good.
    kept: [registration, '/etc/nodeadm/nodeConfig.yaml', '/usr/bin/kubelet'],
    leftByUninstall: [
      '- /etc/systemd/system/multi-user.target.wants/containerd.service',
      '~ containerd.service enabled active -> disabled inactive',
    ],
  },
  (proven) => {
    it('every join but the first was warm: one activation was used up, and no phase wrote its code', async () => {
      const { host } = proven()
      const { stdout } = await host.sudo('cat /var/lib/stand-in/activations-used')
      assert.equal(stdout, '1')
      const found = await host.sudo(
        `grep -rlsF ${activationCode} /etc /opt /run /tmp /usr/local /var /root /home || true`,
      )
      assert.equal(found.stdout, '/etc/stand-in/aws.json\n')
    })

    it('leave keeps the agent of SSM running', async () => {
      const { units } = await proven().host.state()
      assert.deepEqual(units.get('amazon-ssm-agent.service'), { enablement: 'enabled', activity: 'active' })
    })
  },
)
