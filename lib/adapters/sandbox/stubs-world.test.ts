// The world of a sandbox: packages, downloads, the kubelet and its kin, and how a test makes them fail.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { SteppedMachine, SteppedMachines } from '../../proof/ports.ts'
import { says, scriptToRun } from '../../../test/support/says.ts'
import { makeSystemClock } from '../node/clock.ts'
import { makeSandboxes } from './sandboxes.ts'

const hasRoot = process.platform === 'linux' && process.getuid?.() === 0
const skip = hasRoot ? false : 'only root may make a sandbox'
const image = join(import.meta.dirname, 'image')

const repository = 'https://pkgs.k8s.io/core:/stable:/v1.36/deb/'
const addRepository = `mkdir -p /etc/apt/keyrings && curl -fsSL -o /etc/apt/keyrings/k.asc ${repository}Release.key
echo 'deb [signed-by=/etc/apt/keyrings/k.asc] ${repository} /' >/etc/apt/sources.list.d/k.list
apt-get -y update >/dev/null`
const installNode = `${addRepository}
apt-get -y install containerd 'kubelet=1.36.*' >/dev/null`
/** A kubelet that finds everything that it wants. */
const configureKubelet = `mkdir -p /etc/kubernetes /etc/systemd/system/kubelet.service.d
echo 'kind: KubeletConfiguration' >/etc/kubernetes/k.yaml
echo 'server: "https://192.0.2.1", token: "a.b"' >/etc/kubernetes/bootstrap.conf
printf '[Service]\\nExecStart=\\nExecStart=/usr/bin/kubelet --config=/etc/kubernetes/k.yaml --kubeconfig=%s --bootstrap-kubeconfig=%s\\n' \\
  /etc/kubernetes/kubelet.conf /etc/kubernetes/bootstrap.conf >/etc/systemd/system/kubelet.service.d/20-k.conf
systemctl stop kubelet; systemctl daemon-reload`

describe('the world of a sandbox', { skip }, () => {
  let machines: SteppedMachines
  let machine: SteppedMachine
  before(async () => {
    machines = await makeSandboxes({ clock: makeSystemClock() })
  })
  after(() => machines.close())
  beforeEach(async () => {
    machine = await machines.make()
  })
  afterEach(() => machine.close())

  it('has a kubelet only where its repository and key are', async () => {
    assert.deepEqual((await says(machine, "apt-get -y install 'kubelet=1.36.*'")).slice(-2), [
      "E: Version '1.36.*' for 'kubelet' was not found",
      'exit 100',
    ])
    await says(machine, addRepository)
    assert.deepEqual((await says(machine, "apt-get -y install 'kubelet=1.35.*'")).slice(-1), ['exit 100'])
    await says(machine, "apt-get -y install 'kubelet=1.36.*'; apt-mark hold kubelet")
    assert.deepEqual(await says(machine, 'kubelet --version; dpkg-query -W kubelet kubernetes-cni'), [
      'Kubernetes v1.36.2',
      'kubelet\t1.36.2-1.1',
      'kubernetes-cni\t1.7.1-1.1',
      'exit 0',
    ])
    assert.deepEqual((await says(machine, 'apt-get -y purge kubelet')).slice(-2), [
      'E: Held packages were changed and -y was used without --allow-change-held-packages.',
      'exit 100',
    ])
  })

  it('asks before it installs, which nobody answers', async () => {
    assert.deepEqual((await says(machine, 'apt-get install socat')).slice(-2), [
      'Do you want to continue? [Y/n] Abort.',
      'exit 1',
    ])
  })

  it('holds the lock of packages for as many calls as it is told', async () => {
    await machine.steer('apt-get', 'package_lock_held 2')
    const codes = await says(
      machine,
      'for i in 1 2 3; do apt-get -y install socat >/dev/null 2>&1; echo $?; done',
    )
    assert.deepEqual(codes, ['100', '100', '0', 'exit 0'])
  })

  it('leaves dpkg interrupted where apt-get is killed, until it is told to go on', async () => {
    const end = await machine.runStepped(scriptToRun('apt-get -y install socat ethtool'), ({ command }) =>
      Promise.resolve(command === 'apt-get: unpacked socat' ? 'kill' : 'go on'),
    )
    assert.equal(end.exitCode, undefined)
    assert.deepEqual(await says(machine, 'apt-get -y install ethtool'), [
      "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem. ",
      'exit 100',
    ])
    const healed = await says(
      machine,
      'dpkg --configure -a; apt-get -y install ethtool >/dev/null; dpkg -l socat ethtool',
    )
    assert.deepEqual(healed, [
      'Setting up socat (1.8.0.3-1) ...',
      'ii  ethtool  1:6.14-2  amd64',
      'ii  socat  1.8.0.3-1  amd64',
      'exit 0',
    ])
  })

  it('installs a package that nobody foresaw as a program that is recorded', async () => {
    await says(machine, 'apt-get -y install frobnicator')
    const { programs } = await machine.runRecorded(scriptToRun('frobnicator --all now'))
    const started = programs.find(({ arguments: [program] }) => program?.endsWith('/frobnicator'))
    assert.deepEqual(started?.arguments.slice(1), ['--all', 'now'])
  })

  it('fails a download that is told to fail, and no other', async () => {
    await machine.steer('curl', "download_fails '*.key'")
    assert.deepEqual(await says(machine, 'curl -fsSL -o /k https://a.example/x.key'), [
      'curl: (22) The requested URL returned error: 503',
      'exit 22',
    ])
    assert.deepEqual(await says(machine, 'curl -fsSL -o /k https://a.example/x'), ['exit 0'])
  })

  it('gives a k3s whose hash is the one that is published', async () => {
    const url = 'https://github.com/k3s-io/k3s/releases/download/v1.36.2%2Bk3s1'
    const [line, ...rest] = await says(
      machine,
      `cd /tmp; curl -fsSLo k3s ${url}/k3s; curl -fsSL ${url}/sha256sum-amd64.txt | grep ' k3s$' | sha256sum -c; bash ./k3s --version`,
    )
    assert.equal(line, 'k3s: OK')
    assert.deepEqual(rest.slice(0, 1), ['k3s version v1.36.2+k3s1 (8afc0371)'])
  })

  it('makes a node of a kubelet that has what it wants, with pods that outlive it', async () => {
    await says(machine, `${installNode}\n${configureKubelet}\nsystemctl start kubelet`)
    const state = await machine.state()
    assert.equal(state.units.get('kubelet.service')?.activity, 'active')
    assert.equal(state.containers, 1)
    assert.equal(state.mounts.length, 3)
    assert.deepEqual(state.devices, ['cni0', 'eth0', 'flannel.1'])
    await says(machine, 'systemctl disable --now kubelet containerd')
    assert.equal((await machine.state()).containers, 1)
    await machine.reboot()
    const rebooted = await machine.state()
    assert.deepEqual([rebooted.containers, rebooted.mounts, rebooted.devices], [0, [], ['eth0']])
  })

  it('writes the kubeconfig of a kubelet before the certificate is there', async () => {
    await machine.steer('kubelet-certificate', 'never\n')
    await says(machine, `${installNode}\n${configureKubelet}\nsystemctl start kubelet`)
    assert.deepEqual(
      await says(machine, 'systemctl is-active kubelet; ls /etc/kubernetes /var/lib/kubelet/pki'),
      [
        'active',
        '/etc/kubernetes:',
        'bootstrap.conf',
        'k.yaml',
        'kubelet.conf',
        '/var/lib/kubelet/pki:',
        'kubelet.crt',
        'kubelet.key',
        'exit 0',
      ],
    )
  })

  const complaints: readonly (readonly [what: string, make: string, complaint: RegExp])[] = [
    ['swap', '. /.sandbox/lib.bash; swap_on', /running with swap on is not supported/],
    ['old control groups', '. /.sandbox/lib.bash; cgroup_v1', /not run on a host using cgroup v1/],
    ['no runtime', 'systemctl stop containerd', /dial unix \/run\/containerd\/containerd.sock/],
    [
      'a key that is there twice',
      'echo "kind: X" >>/etc/kubernetes/k.yaml',
      /key .*kind.* already set in map/,
    ],
    ['no bootstrap credentials', 'rm /etc/kubernetes/bootstrap.conf', /unable to load bootstrap kubeconfig/],
  ]
  for (const [what, make, complaint] of complaints) {
    it(`has a kubelet that ends with a reason where there is ${what}`, async () => {
      await says(machine, `${installNode}\n${configureKubelet}`)
      await machine.prepare(`set +e\n${make}`)
      const [activity, ...words] = await says(
        machine,
        'systemctl start kubelet; systemctl is-active kubelet; journalctl -u kubelet -n 3 -o cat',
      )
      assert.equal(activity, 'activating')
      assert.match(words.join('\n'), complaint)
    })
  }

  it('lets a kubelet fail with any words, and come back once it may', async () => {
    await says(machine, `${installNode}\n${configureKubelet}`)
    await machine.steer('kubelet-says', 'x509: certificate signed by unknown authority\n')
    await says(machine, 'systemctl start kubelet')
    assert.deepEqual(
      (await says(machine, 'journalctl -u kubelet -n 2'))[0],
      'x509: certificate signed by unknown authority',
    )
    await machine.steer('kubelet-says', '')
    assert.deepEqual(await says(machine, 'sleep 10; systemctl is-active kubelet'), ['active', 'exit 0'])
  })

  it('registers a host with SSM under a new name each time', async () => {
    const config = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: "demo"
    region: "eu-central-1"
  hybrid:
    ssm:
      activationId: "i"
      activationCode: "c"`
    await says(
      machine,
      `curl -fsSLo /usr/local/bin/nodeadm https://x.example/nodeadm; chmod +x /usr/local/bin/nodeadm
cat >/c.yaml <<'END'\n${config}\nEND
nodeadm install 1.36 --credential-provider ssm`,
    )
    const registered =
      'nodeadm init -c file:///c.yaml >/dev/null 2>&1; grep -o "mi-[0-9a-f]*" /var/lib/amazon/ssm/registration'
    assert.deepEqual(await says(machine, registered), ['mi-00000000000000001', 'exit 0'])
    assert.deepEqual(await says(machine, registered), ['mi-00000000000000001', 'exit 0'])
    await says(machine, 'systemctl disable --now kubelet containerd')
    await machine.reboot()
    await says(machine, 'nodeadm uninstall; nodeadm install 1.36 --credential-provider ssm')
    assert.deepEqual(await says(machine, registered), ['mi-00000000000000002', 'exit 0'])
  })
})

const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0

describe('the image of a sandbox', () => {
  it('is clean by shellcheck', { skip: hasShellcheck ? false : 'shellcheck is not on this machine' }, () => {
    const patterns = ['*', 'bin/*', 'stubs/*', 'families/*/bin/*', 'packages/*/{postinst,prerm,postrm}']
    const files = patterns
      .flatMap((pattern) => globSync(pattern, { cwd: image, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== 'hidden')
      .map((entry) => join(entry.parentPath, entry.name))
    const { stdout } = spawnSync('shellcheck', ['-x', '-P', 'SCRIPTDIR', '--format=gcc', ...files], {
      encoding: 'utf8',
    })
    assert.equal(stdout, '')
  })
})
