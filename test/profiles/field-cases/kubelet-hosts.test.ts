// What goes wrong on hosts that become nodes through a kubelet, as people have reported it: the shipped scripts on machines in
// that state. The ids are of the field cases that they cover.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { needsSandboxes } from '../../support/sandbox/sandboxes.ts'
import { differences, trialsOf } from '../../support/sandbox/trials.ts'

const pods = '/var/lib/kubelet/pods'

for (const name of ['tls-bootstrap', 'sbc', 'kubeadm']) {
  describe(`${name} on a host with a past`, needsSandboxes, () => {
    const trials = trialsOf(name)

    it('JOIN-03: joins with fresh credentials where those of a deleted Node are left', async (test) => {
      const { machine, run, read } = await trials.at(test, 'left')
      await machine.prepare(`mkdir -p /etc/kubernetes /var/lib/kubelet/pki
        echo stale >/etc/kubernetes/kubelet.conf
        echo stale >/var/lib/kubelet/pki/kubelet-client-current.pem`)
      const { code } = await run('join')
      assert.equal(code, 0)
      assert.doesNotMatch((await read('/etc/kubernetes/kubelet.conf')) ?? '', /stale/)
      const { files } = await machine.state()
      for (const [path, { content }] of files)
        if (path.startsWith('/var/lib/kubelet/pki/')) assert.notEqual(content, 'stale\n', path)
    })

    it('JOIN-13: takes off the bridge and the addresses of an earlier membership', async (test) => {
      const { machine, run, read } = await trials.at(test, 'left')
      await machine.prepare(`mkdir -p /var/lib/cni/networks/cbr0 /.sandbox/volatile/devices
        echo old >/var/lib/cni/networks/cbr0/10.244.99.9
        echo 10.244.99.1/24 >/.sandbox/volatile/devices/cni0`)
      const { code } = await run('join')
      assert.equal(code, 0)
      assert.equal(await read('/var/lib/cni/networks/cbr0/10.244.99.9'), undefined)
      const said = await machine.run({ phase: 'join', rendered: bash('ip -o address show dev cni0') })
      assert.match(said.output, / 10\.244\.7\.1\/24 /)
    })

    it('JOIN-13: keeps a device that carries the way in', async (test) => {
      const { machine, run } = await trials.at(test, 'joined')
      await machine.prepare('echo 192.0.2.11/24 >/.sandbox/volatile/devices/cni0')
      const { code, output } = await run('leave')
      assert.equal(code, 0)
      assert.match(output, /^cni0 stays: it carries the way in$/m)
      assert.ok((await machine.state()).devices.includes('cni0'))
    })

    it('JOIN-15: starts containerd anew, which reads its network configuration only then', async (test) => {
      const { machine, record } = await trials.at(test, 'left')
      await machine.prepare('systemctl start containerd')
      const { code, programs } = await record('join')
      assert.equal(code, 0)
      const calls = programs
        .map(({ arguments: words }) => words.join(' '))
        .filter((call) => /systemctl (stop|enable|start|restart).*containerd/.test(call))
      assert.match(calls[0] ?? '', / stop /)
      assert.match(calls.at(-1) ?? '', / (enable --now|start|restart) /)
    })

    it('JOIN-17: refuses a cgroup driver that containerd does not use, before anything changes', async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      const untouched = await machine.state()
      const { code, said } = await run('join', { vars: { cgroupDriver: 'cgroupfs' } })
      assert.equal(code, 1)
      assert.equal(said, 'CgroupDriverMismatch: containerd uses systemd, the var cgroupDriver says cgroupfs')
      assert.deepEqual(differences(await machine.state(), untouched), [])
    })

    it('JOIN-17: gives the kubelet the driver that containerd is configured for', async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      await machine.prepare(
        "sed -i 's/SystemdCgroup = .*/SystemdCgroup = false/' /etc/containerd/config.toml",
      )
      await run('join')
      const { files } = await machine.state()
      const configurations = [...files].filter(([, { content }]) => /^cgroupDriver: /m.test(content))
      assert.ok(configurations.length > 0)
      for (const [path, { content }] of configurations)
        assert.match(content, /^cgroupDriver: cgroupfs$/m, path)
    })

    it('JOIN-18: refuses a host with swap on, before anything changes', async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      await machine.prepare('. /.sandbox/lib.bash; swap_on')
      const untouched = await machine.state()
      const { code, said } = await run('join', { vars: { swap: 'fail' } })
      assert.equal(code, 1)
      assert.match(said, /^SwapOn: swap is on, /)
      assert.deepEqual(differences(await machine.state(), untouched), [])
    })

    it('JOIN-18: switches swap off where the class says so, and leaves /etc/fstab alone', async (test) => {
      const { machine, record, read } = await trials.at(test, 'installed')
      await machine.prepare('. /.sandbox/lib.bash; swap_on; echo /swapfile none swap sw 0 0 >>/etc/fstab')
      const fstab = await read('/etc/fstab')
      const { code, programs } = await record('join', { vars: { swap: 'off' } })
      assert.equal(code, 0)
      assert.ok(programs.some(({ arguments: words }) => words.join(' ').endsWith('swapoff -a')))
      assert.equal(await read('/etc/fstab'), fstab)
    })

    it('JOIN-18: joins with swap on where the class allows it', async (test) => {
      const { machine, record } = await trials.at(test, 'installed')
      await machine.prepare('. /.sandbox/lib.bash; swap_on')
      const { code, programs } = await record('join', { vars: { swap: 'allow' } })
      assert.equal(code, 0)
      assert.ok(!programs.some(({ arguments: words }) => /swapoff/.test(words[0] ?? '')))
      const settings = [...(await machine.state()).files].map(([, { content }]) => content)
      assert.ok(settings.some((content) => /^failSwapOn: false$/m.test(content)))
    })

    it('JOIN-21: needs nothing below /run that a reboot has taken', async (test) => {
      const { machine, run } = await trials.at(test, 'left')
      await machine.reboot()
      const { code } = await run('join')
      assert.equal(code, 0)
    })

    it('JOIN-23: says so where another drop-in of the kubelet has the last word', async (test) => {
      const { machine, run } = await trials.at(test, 'left')
      await machine.prepare(`mkdir -p /etc/systemd/system/kubelet.service.d
        printf '%s\\n' '[Service]' 'ExecStart=' 'ExecStart=/usr/bin/kubelet --theirs' \\
          >/etc/systemd/system/kubelet.service.d/zz-other.conf
        systemctl daemon-reload`)
      const { code, said } = await run('join')
      assert.equal(code, 1)
      assert.match(said, /^KubeletDropInOverridden: /)
    })

    it("JOIN-23: wins over kubeadm's own drop-in", async (test) => {
      const { machine, run } = await trials.at(test, 'left')
      if (name !== 'kubeadm')
        await machine.prepare(`mkdir -p /usr/lib/systemd/system/kubelet.service.d
          printf '%s\\n' '[Service]' 'ExecStart=' 'ExecStart=/usr/bin/kubelet --kubeadm' \\
            >/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf
          systemctl daemon-reload`)
      const { code } = await run('join')
      assert.equal(code, 0)
    })

    it('SSH-32: waits while another package manager holds the lock', async (test) => {
      const { machine, record } = await trials.at(test, 'fresh')
      await machine.steer('apt-get', 'package_lock_held 3')
      const { code, programs } = await record('install')
      assert.equal(code, 0)
      assert.equal(programs.filter(({ arguments: words }) => /\/sleep$/.test(words[0] ?? '')).length, 3)
    })

    it('SSH-32: gives up when the time for it is over, and says why in one line', async (test) => {
      const { machine, run } = await trials.at(test, 'fresh')
      await machine.steer('apt-get', 'package_lock_held 1000')
      const { code, said } = await run('install', { vars: { packageLockSeconds: '0' } })
      assert.equal(code, 1)
      assert.equal(said, 'PackageLockBusy: another process has held the lock of apt-get for 0 s')
    })

    it('EKS-01, SSH-35: leave undoes mounts of the host below the kubelet, and deletes nothing through them', async (test) => {
      const { machine, run } = await trials.at(test, 'joined')
      await machine.prepare(`mkdir -p ${pods}/x/volume-subpaths/{etc,home,ssh}
        mount --bind /etc/ssh ${pods}/x/volume-subpaths/etc
        mount --bind /home ${pods}/x/volume-subpaths/home
        mount --bind /root/.ssh ${pods}/x/volume-subpaths/ssh`)
      const before = await machine.state()
      const { code } = await run('leave')
      assert.equal(code, 0)
      const after = await machine.state()
      const changed = differences(before, after).filter((path) => /^\/(home|root|etc\/ssh)\b/.test(path))
      assert.deepEqual(changed, [])
      assert.deepEqual(after.mounts, [])
    })

    it('EKS-01: uninstall refuses while anything is mounted where it deletes', async (test) => {
      const { machine, run } = await trials.at(test, 'left')
      await machine.prepare(`mkdir -p ${pods}/x/volume-subpaths/etc
        mount --bind /etc ${pods}/x/volume-subpaths/etc`)
      const before = await machine.state()
      const { code, said } = await run('uninstall')
      assert.equal(code, 1)
      assert.match(said, /^StillMounted: nothing below \/var\/lib\/kubelet is removed, because of /)
      assert.deepEqual(differences(await machine.state(), before), [])
    })

    it('EKS-02: leave ends containers whose runtime was stopped before', async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      await machine.steer('pods', '3')
      await run('join')
      assert.equal((await machine.state()).containers, 3)
      await machine.prepare('systemctl stop containerd')
      const { code } = await run('leave')
      const { containers, mounts } = await machine.state()
      assert.deepEqual([code, containers, mounts], [0, 0, []])
    })

    it('EKS-03: uninstall refuses a host that is a member', async (test) => {
      const { machine, run } = await trials.at(test, 'joined')
      const before = await machine.state()
      const { code, said } = await run('uninstall')
      assert.equal(code, 1)
      assert.match(said, /^StillRunning: kubelet is active, it must be stopped$/)
      assert.deepEqual(differences(await machine.state(), before), [])
    })

    it('EKS-11: installs after an uninstall as on a fresh host', async (test) => {
      const { machine, run } = await trials.at(test, 'installed')
      const first = await machine.state()
      assert.equal((await run('uninstall')).code, 0)
      assert.equal((await run('install')).code, 0)
      const changed = differences(await machine.state(), first)
      // Tools that others may use stay, for the next autoremove, so they are not brought again.
      assert.deepEqual(
        changed.filter((path) => !/^\/var\/lib\/(dpkg\/|kpssh-profile\/packages$)/.test(path)),
        [],
      )
    })

    it('EKS-10: joins without fetching or installing anything', async (test) => {
      const { record } = await trials.at(test, 'left')
      const { code, programs } = await record('join')
      assert.equal(code, 0)
      const calls = programs.map(({ arguments: words }) => words.join(' '))
      assert.deepEqual(
        calls.filter((call) => /\b(apt-get|dnf|wget)\b/.test(call)),
        [],
      )
      // The one that asks a cluster for the time writes nothing.
      assert.deepEqual(
        calls.filter((call) => /\bcurl\b/.test(call) && !/ -skI /.test(call)),
        [],
      )
    })
  })
}

function bash(script: string) {
  return { script, environment: {}, secrets: [], timeoutMs: 10_000, marker: 'x@1', agentUnits: [] }
}
