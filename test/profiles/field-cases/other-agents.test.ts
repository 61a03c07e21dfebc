// The same for hosts of EKS, of k3s, and for boards.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { needsSandboxes } from '../../support/sandbox/sandboxes.ts'
import { differences, trialsOf, type PhaseChanges, type Trial } from '../../support/sandbox/trials.ts'

const registration = '/var/lib/amazon/ssm/registration'
const noActivation: PhaseChanges = { secrets: { activationId: '', activationCode: '' } }

/** How a phase ends that must not touch the machine. */
async function refusal(trial: Trial, phase: 'install' | 'join', changes?: PhaseChanges): Promise<string> {
  const before = await trial.machine.state()
  const { code, said } = await trial.run(phase, changes)
  assert.equal(code, 1)
  assert.deepEqual(differences(await trial.machine.state(), before), [])
  return said
}

describe('nodeadm-ssm', needsSandboxes, () => {
  const trials = trialsOf('nodeadm-ssm')

  it('EKS-10: joins a warm host without fetching, initializing or registering anything', async (test) => {
    const { record } = await trials.at(test, 'left')
    const { code, programs, output } = await record('join', noActivation)
    assert.equal(code, 0)
    assert.match(output, /^Warm: registered as mi-[0-9a-f]{17}$/m)
    const names = programs.map(({ arguments: [name = ''] }) => name.replace(/.*\//, ''))
    assert.deepEqual(
      names.filter((name) => ['curl', 'apt-get', 'nodeadm', 'wget'].includes(name)),
      [],
    )
  })

  it('EKS-07: refuses a host that is not registered, without an activation', async (test) => {
    const said = await refusal(await trials.at(test, 'installed'), 'join', noActivation)
    assert.equal(
      said,
      'ActivationRequired: this host is not registered, and the join Secret has no activationId and activationCode',
    )
  })

  it('EKS-07: says that a registration is damaged, and joins cold with an activation', async (test) => {
    const trial = await trials.at(test, 'left')
    await trial.machine.prepare(`: >${registration}`)
    assert.match(
      await refusal(trial, 'join', noActivation),
      /^ActivationRequired: the registration of this host is damaged, /,
    )
    const { code, output } = await trial.run('join')
    assert.equal(code, 0)
    assert.match(output, /^Cold: the registration of this host is damaged$/m)
  })

  it('EKS-07: joins cold where AWS has forgotten the host', async (test) => {
    const trial = await trials.at(test, 'left')
    await trial.machine.prepare(`mkdir -p /var/log/amazon/ssm
      id=$(grep -o 'mi-[0-9a-f]*' ${registration} | head -n 1)
      echo "Not existing InstanceId $id" >>/var/log/amazon/ssm/amazon-ssm-agent.log`)
    assert.match(
      await refusal(trial, 'join', noActivation),
      /^ActivationRequired: AWS has no mi-[0-9a-f]{17} any more, /,
    )
    const { code, output } = await trial.run('join')
    assert.equal(code, 0)
    assert.match(output, /^Cold: AWS has no mi-[0-9a-f]{17} any more, as which this host was registered$/m)
  })

  const wordings: readonly (readonly [string, string, string])[] = [
    ['EKS-04', 'ActivationExpired', 'ActivationExpired: status code: 400'],
    ['EKS-04', 'ActivationExhausted', 'RegistrationLimitExceeded: the registration limit was reached'],
    ['EKS-04', 'ActivationInvalid', 'InvalidActivation: status code: 400'],
    [
      'EKS-18',
      'ActivationExpired',
      'ExpiredTokenException: The security token included in the request is expired',
    ],
    [
      'EKS-08',
      'IamDenied:eks:ListAccessEntries',
      'AccessDeniedException: not authorized to perform: eks:ListAccessEntries',
    ],
    ['EKS-19', 'WrongRegion', 'ResourceNotFoundException: No cluster found for name: c1.'],
  ]
  for (const [id, reason, words] of wordings) {
    it(`${id}: ends in one line with ${reason} for "${words}", and leave follows`, async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      await machine.steer('nodeadm', `[[ $1 != init ]] || says_and_ends 1 '${words}'`)
      const { code, said } = await run('join')
      assert.equal(code, 1)
      assert.ok(said.startsWith(`${reason}: `), said)
      assert.equal((await run('leave')).code, 0)
      const { units } = await machine.state()
      assert.deepEqual(units.get('kubelet.service'), { enablement: 'disabled', activity: 'inactive' })
    })
  }

  it('EKS-04: takes an activation that came with white space around it', async (test) => {
    const { run } = await trials.at(test, 'installed')
    const spaced = {
      secrets: {
        activationId: ' 01234567-89ab-cdef-0123-456789abcdef\n',
        activationCode: 'abcdefghij0123456789\n',
      },
    }
    assert.equal((await run('join', spaced)).code, 0)
  })

  it('EKS-04: refuses what cannot be an activation before anything changes', async (test) => {
    const said = await refusal(await trials.at(test, 'installed'), 'join', {
      secrets: { activationId: 'not-a-uuid', activationCode: 'abcdefghij0123456789' },
    })
    assert.equal(said, 'ActivationInvalid: the activation id is no UUID')
  })

  it('EKS-01: uninstall refuses while the host is mounted below the kubelet', async (test) => {
    const { machine, record } = await trials.at(test, 'left')
    await machine.reboot()
    await machine.prepare(`mkdir -p /var/lib/kubelet/pods/x/volume-subpaths/etc
      mount --bind /etc /var/lib/kubelet/pods/x/volume-subpaths/etc`)
    const before = await machine.state()
    const { code, said, programs } = await record('uninstall')
    assert.equal(code, 1)
    assert.match(said, /^StillMounted: nothing below \/var\/lib\/kubelet is removed, because of /)
    assert.ok(!programs.some(({ arguments: [name = ''] }) => name.endsWith('/nodeadm')))
    assert.deepEqual(differences(await machine.state(), before), [])
  })

  it('EKS-02: uninstall refuses while containers run', async (test) => {
    const { run } = await trials.at(test, 'left')
    const { code, said } = await run('uninstall')
    assert.equal(code, 1)
    assert.match(said, /^ContainersRunning: containers of Kubernetes still run, processes \d+: /)
  })

  it('EKS-11: installs after an uninstall as on a fresh host', async (test) => {
    const { machine, run } = await trials.at(test, 'installed')
    const first = await machine.state()
    assert.equal((await run('uninstall')).code, 0)
    assert.equal((await run('install')).code, 0)
    const changed = differences(await machine.state(), first)
    assert.deepEqual(
      changed.filter((path) => !path.startsWith('/var/lib/dpkg/')),
      [],
    )
  })

  it('EKS-15: refuses an IPv6 address before anything changes', async (test) => {
    const said = await refusal(await trials.at(test, 'fresh'), 'install', {
      context: { NodeAddress: '2001:db8::1' },
    })
    assert.equal(said, 'AddressUnsupported: EKS takes no hybrid node with the IPv6 address 2001:db8::1')
  })

  it("EKS-16: a warm join leaves containerd's configuration alone, runtimes of GPUs and all", async (test) => {
    const { machine, run, read } = await trials.at(test, 'left')
    await machine.prepare(
      "printf '%s\\n' '[plugins.gpu]' 'runtime = \"nvidia\"' >>/etc/containerd/config.toml",
    )
    const before = await read('/etc/containerd/config.toml')
    assert.equal((await run('join')).code, 0)
    assert.equal(await read('/etc/containerd/config.toml'), before)
  })

  it('EKS-16: a cold join hands nodeadm what containerd needs for a GPU', async (test) => {
    const { run, read } = await trials.at(test, 'installed')
    const extra = '[plugins.gpu]\nruntime = "nvidia"'
    assert.equal((await run('join', { vars: { containerdConfigExtra: extra } })).code, 0)
    assert.match((await read('/etc/nodeadm/nodeConfig.yaml')) ?? '', /^ {6}runtime = "nvidia"$/m)
  })

  it('EKS-21: tells as whom AWS knows the host', async (test) => {
    const { run } = await trials.at(test, 'installed')
    const { output } = await run('join')
    assert.match(output, /^Registered as mi-[0-9a-f]{17}$/m)
  })

  it('SSH-32: waits while another package manager holds the lock', async (test) => {
    const { machine, run } = await trials.at(test, 'fresh')
    await machine.steer('nodeadm', '[[ $1 != install ]] || package_lock_held 2')
    assert.equal((await run('install')).code, 0)
  })
})

describe('k3s', needsSandboxes, () => {
  const trials = trialsOf('k3s')

  it('JOIN-07: keeps the node password over a leave, so that the server knows the host again', async (test) => {
    const { run, read } = await trials.at(test, 'joined')
    const password = await read('/etc/rancher/node/password')
    assert.ok(password)
    assert.equal((await run('leave')).code, 0)
    assert.equal((await run('join')).code, 0)
    assert.equal(await read('/etc/rancher/node/password'), password)
  })

  it('JOIN-07: says what to delete where the server remembers another host under the name', async (test) => {
    const { machine, run } = await trials.at(test, 'installed')
    await machine.steer('k3s-says', 'Node password rejected, duplicate hostname')
    const { code, said } = await run('join', { vars: { joinSeconds: '2' }, context: { NodeName: 'n-1' } })
    assert.equal(code, 1)
    assert.equal(
      said,
      'NodePasswordRejected: the server remembers another host as n-1: delete the Secret n-1.node-password.k3s in kube-system',
    )
  })

  it('EKS-11: installs after an uninstall as on a fresh host', async (test) => {
    const { machine, run } = await trials.at(test, 'installed')
    const first = await machine.state()
    assert.equal((await run('uninstall')).code, 0)
    assert.equal((await run('install')).code, 0)
    assert.deepEqual(differences(await machine.state(), first), [])
  })
})

describe('sbc on a board without a memory cgroup', needsSandboxes, () => {
  const trials = trialsOf('sbc')
  const want = 'cgroup_enable=memory cgroup_memory=1'
  const boards: readonly (readonly [string, string, string])[] = [
    [
      'the boot file of today',
      "mkdir -p /boot/firmware; echo 'console=tty1 root=/dev/sda2' | tee /boot/cmdline.txt >/boot/firmware/cmdline.txt",
      `append "${want}" to the first line of /boot/firmware/cmdline.txt and reboot`,
    ],
    [
      'the boot file of older systems',
      "echo 'console=tty1 root=/dev/sda2' >/boot/cmdline.txt",
      `append "${want}" to the first line of /boot/cmdline.txt and reboot`,
    ],
    [
      'parameters on a second line, which is not read',
      `printf '%s\\n' 'console=tty1' '${want}' >/boot/cmdline.txt`,
      `of /boot/cmdline.txt it reads the first line only, move "${want}" there and reboot`,
    ],
    [
      'parameters that wait for a reboot',
      `echo 'console=tty1 ${want}' >/boot/cmdline.txt`,
      'although the first line of /boot/cmdline.txt asks for it: reboot',
    ],
    [
      'Armbian',
      'echo extraargs= >/boot/armbianEnv.txt',
      `add "${want}" to the line extraargs= of /boot/armbianEnv.txt and reboot`,
    ],
  ]
  for (const [board, prepare, remedy] of boards) {
    it(`JOIN-19: names the right file and line for ${board}, and changes nothing`, async (test) => {
      const trial = await trials.at(test, 'fresh')
      await trial.machine.prepare(`echo 'cpuset cpu io pids' >/sys/fs/cgroup/cgroup.controllers\n${prepare}`)
      const said = await refusal(trial, 'install')
      assert.ok(said.startsWith('MemoryCgroupOff: '), said)
      assert.ok(said.endsWith(remedy), said)
    })
  }

  it('JOIN-19: takes the word of cgroup v2, where new kernels leave memory out of /proc/cgroups', async (test) => {
    const { machine, run } = await trials.at(test, 'fresh')
    await machine.prepare(
      String.raw`printf '%s\n' $'#subsys_name\thierarchy\tnum_cgroups\tenabled' $'cpu\t0\t60\t1' >/.sandbox/steer/cgroups`,
    )
    assert.equal((await run('install')).code, 0)
  })

  it('JOIN-19: sees it switched off on a kernel with cgroup v1', async (test) => {
    const trial = await trials.at(test, 'fresh')
    await trial.machine.prepare(String.raw`. /.sandbox/lib.bash; cgroup_v1
      printf '%s\n' $'#subsys_name\thierarchy\tnum_cgroups\tenabled' $'memory\t0\t60\t0' >/.sandbox/steer/cgroups`)
    assert.match(await refusal(trial, 'install'), /^MemoryCgroupOff: /)
  })
})
