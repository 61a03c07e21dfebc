// Helpers of the shipped scripts, taken out of them and called by themselves where a whole phase is not needed to see them
// right. Stand-ins for the commands that they call come first on PATH.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { after, describe, it } from 'node:test'

const root = fileURLToPath(new URL('../../profiles', import.meta.url))
const bin = mkdtempSync(`${tmpdir()}/kpssh-helpers-`)
after(() => rmSync(bin, { recursive: true }))

function standIn(name: string, body: string): void {
  writeFileSync(`${bin}/${name}`, `#!/usr/bin/env bash\n${body}\n`)
  chmodSync(`${bin}/${name}`, 0o755)
}

interface Call {
  readonly of: string
  readonly call: string
  readonly env?: Readonly<Record<string, string>>
}

/** Everything of a script but its last line, which begins the phase, and then the call. */
function run({ of, call, env = {} }: Call): { code: number | null; out: string; said: string } {
  const script = readFileSync(`${root}/${of}`, 'utf8').replace(/main\n$/, '')
  const { status, stdout, stderr } = spawnSync('bash', ['-s'], {
    input: `${script}\n${call}\n`,
    encoding: 'utf8',
    env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
  })
  return { code: status, out: stdout, said: stderr.trim().split('\n').at(-1) ?? '' }
}

describe('explain_nodeadm', () => {
  const of = 'nodeadm-ssm/join.sh'
  const env = { KPSSH_VAR_clusterName: 'c1', KPSSH_VAR_region: 'eu-west-1' }
  const wordings: readonly (readonly [string, string, string])[] = [
    ['EKS-04', 'ActivationExpired', 'SSM activation expired. Please use a valid activation'],
    [
      'EKS-04',
      'ActivationExpired',
      'error registering the instance with AWS SSM. ActivationExpired: \n\tstatus code: 400',
    ],
    [
      'EKS-18',
      'ActivationExpired',
      'ExpiredTokenException: The security token included in the request is expired',
    ],
    ['EKS-04', 'ActivationExhausted', 'RegistrationLimitExceeded: the registration limit was reached'],
    [
      'EKS-04',
      'ActivationInvalid',
      'invalid SSM activation. Please use a valid activation code, activation id and region',
    ],
    ['EKS-04', 'ActivationInvalid', 'InvalidActivation: \n\tstatus code: 400'],
    ['EKS-19', 'WrongRegion', 'ResourceNotFoundException: No cluster found for name: c1.'],
    ['EKS-04', 'WrongRegion', 'dial tcp: lookup ssm.eu-wets-1.amazonaws.com: no such host'],
    [
      'EKS-18',
      'ClockSkew',
      'InvalidSignatureException: Signature expired: 20260101T000000Z is now earlier than',
    ],
    [
      'EKS-18',
      'ClockSkew',
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
    ],
    [
      'EKS-08',
      'IamDenied:eks:ListAccessEntries',
      'AccessDeniedException: User: arn:x is not authorized to perform: eks:ListAccessEntries',
    ],
    [
      'EKS-19',
      'IamDenied:eks:DescribeCluster',
      'is not authorized to perform: eks:DescribeCluster on resource: arn:y',
    ],
    ['EKS-08', 'IamDenied:unknown', 'operation error: AccessDenied'],
    ['EKS-04', 'NodeadmFailed', 'something that nobody has seen yet'],
  ]
  for (const [id, reason, words] of wordings) {
    it(`${id}: says ${reason} of "${words.slice(0, 60).replace(/\s+/g, ' ')}"`, () => {
      const { code, said } = run({ of, call: 'explain_nodeadm "$words" 1', env: { ...env, words } })
      assert.equal(code, 1)
      assert.match(said, new RegExp(`^${reason}: \\S`))
    })
  }
})

describe('check_activation', () => {
  const of = 'nodeadm-ssm/join.sh'
  const call =
    'registration=/nowhere config=/nowhere agent_log=/nowhere; check_activation; echo "<$activation_id><$activation_code>"'
  const id = '751a488c-e9c7-4539-8171-15d48f4fd90a'
  const code = 'AAAABBBBCCCCDDDDEEEE'

  it('EKS-04: forgives white space around id and code', () => {
    const env = { KPSSH_SECRET_ACTIVATIONID: `${id}\n`, KPSSH_SECRET_ACTIVATIONCODE: ` ${code}\r\n` }
    assert.match(run({ of, call, env }).out, new RegExp(`<${id}><${code}>`))
  })
  it('EKS-04: refuses what cannot be an activation, without repeating it', () => {
    for (const env of [
      { KPSSH_SECRET_ACTIVATIONID: 'not-a-uuid', KPSSH_SECRET_ACTIVATIONCODE: code },
      { KPSSH_SECRET_ACTIVATIONID: id, KPSSH_SECRET_ACTIVATIONCODE: 'short"code' },
    ]) {
      const { said, out } = run({ of, call, env })
      assert.match(said, /^ActivationInvalid: /)
      assert.doesNotMatch(said + out, /not-a-uuid|short/)
    }
  })
  it('asks for an activation where half of one is given', () => {
    const env = { KPSSH_SECRET_ACTIVATIONID: id }
    assert.match(run({ of, call, env }).said, /^ActivationRequired: this host is not registered/)
  })
})

describe('with_lock', () => {
  const of = 'tls-bootstrap/install.sh'
  it('SSH-32: waits for a lock that is let go, and asks nobody', () => {
    standIn(
      'apt-get',
      `[[ -e ${bin}/held ]] || exit 0; rm ${bin}/held; echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (unattended-upgr)" >&2; exit 100`,
    )
    writeFileSync(`${bin}/held`, '')
    standIn('sleep', '')
    const { code } = run({ of, call: 'apt_get update', env: { KPSSH_VAR_packageLockSeconds: '30' } })
    assert.equal(code, 0)
  })
  it('SSH-32: gives up on a lock that is held for ever, and says so', () => {
    for (const words of [
      'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)',
      'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
      'E: Unable to lock directory /var/lib/apt/lists/',
      'dpkg: error: dpkg frontend lock was locked by another process with pid 7',
      "error: can't create transaction lock on /var/lib/rpm/.rpm.lock (Resource temporarily unavailable)",
    ]) {
      standIn('apt-get', `cat <<'WORDS' >&2\n${words}\nWORDS\nexit 100`)
      const { code, said } = run({ of, call: 'apt_get update', env: { KPSSH_VAR_packageLockSeconds: '0' } })
      assert.equal(code, 1)
      assert.match(said, /^PackageLockBusy: another process has held the lock of apt-get for 0 s$/)
    }
  })
  it('SSH-32: knows the exit code with which dnf says that another is at work', () => {
    standIn('dnf', 'exit 200')
    const { said } = run({ of, call: 'dnf_now install x', env: { KPSSH_VAR_packageLockSeconds: '0' } })
    assert.match(said, /^PackageLockBusy: /)
  })
  it('finishes what an interrupted dpkg left undone, once', () => {
    standIn(
      'apt-get',
      'echo "E: dpkg was interrupted, you must manually run dpkg --configure -a" >&2; exit 100',
    )
    standIn('dpkg', `echo "$*" >>${bin}/dpkg-calls`)
    const { code, said } = run({ of, call: 'apt_get install x' })
    assert.equal(code, 1)
    assert.match(said, /^PackagesFailed: apt-get ended with exit code 100/)
    assert.equal(
      readFileSync(`${bin}/dpkg-calls`, 'utf8'),
      '--configure -a --force-confdef --force-confold\n',
    )
  })
})

describe('carries_session', () => {
  const of = 'tls-bootstrap/leave.sh'
  standIn(
    'ip',
    `case "$*" in
      '-o address show dev tun7') echo '7: tun7    inet 192.0.2.7/32 scope global tun7' ;;
      '-o address show dev '*) echo '8: x    inet 192.0.2.77/24 scope global x' ;;
      '-o route show default') echo 'default via 198.51.100.1 dev wan0 proto dhcp' ;;
      '-o route get 203.0.113.9') echo '203.0.113.9 dev wg0 src 10.0.0.2 uid 0' ;;
    esac`,
  )
  standIn(
    'ss',
    `echo '0 0 [::ffff:192.0.2.7]:22 [::ffff:203.0.113.9]:50000 users:(("sshd-session",pid=9,fd=4))'`,
  )
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['has the address that we know', 'tun7', true],
    ['leads out of the host', 'wan0', true],
    ['leads to whoever is logged in', 'wg0', true],
    ['has an address that only begins alike', 'cni0', false],
  ]
  for (const [what, device, kept] of cases) {
    it(`SSH-15: ${kept ? 'keeps' : 'gives up'} a device that ${what}`, () => {
      const call = `carries_session ${device} && echo kept || echo not`
      assert.equal(run({ of, call, env: { KPSSH_HOST_ADDRESS: '192.0.2.7' } }).out, kept ? 'kept\n' : 'not\n')
    })
  }
})

describe('kubelet_flags', () => {
  const of = 'tls-bootstrap/join.sh'
  function flags(env: Readonly<Record<string, string>>): string {
    return run({ of, call: 'kubelet_flags', env: { KPSSH_NODE_NAME: 'n', ...env } }).out
  }
  it('names a node address that is one, of either family, and no name', () => {
    assert.match(flags({ KPSSH_NODE_ADDRESS: '192.0.2.7' }), / --node-ip=192\.0\.2\.7$/)
    assert.match(flags({ KPSSH_NODE_ADDRESS: 'fd00::1' }), / --node-ip=fd00::1$/)
    assert.doesNotMatch(flags({ KPSSH_NODE_ADDRESS: 'rack.example.com' }), /node-ip/)
    assert.doesNotMatch(flags({}), /node-ip|provider-id|node-labels|taints/)
  })
})

describe('kubelet_configuration', () => {
  it('lets kubeletConfigExtra replace a key, since the kubelet refuses one that is there twice', () => {
    const env = { KPSSH_VAR_kubeletConfigExtra: 'maxPods: 42\nfailCgroupV1: false' }
    const { out } = run({ of: 'tls-bootstrap/join.sh', call: 'driver=cgroupfs; kubelet_configuration', env })
    assert.deepEqual(out.match(/^maxPods.*$/gm), ['maxPods: 42'])
    assert.match(out, /^cgroupDriver: cgroupfs$/m)
    assert.match(out, /^kubeReserved: \{cpu: "80m", memory: "300Mi"\}$/m)
    assert.match(out, /\nfailCgroupV1: false\n$/)
  })
})

describe('check_clock', () => {
  const of = 'tls-bootstrap/join.sh'
  const env = { KPSSH_CLUSTER_ENDPOINT: 'https://192.0.2.1:6443' }
  it('DDB-09: refuses a clock that differs from the cluster by more than a minute, either way', () => {
    for (const offset of ['-120', '+3600']) {
      standIn(
        'curl',
        `printf 'HTTP/2 401\\r\\ndate: %s\\r\\n' "$(date -u -R -d "@$(($(date +%s) ${offset}))")"`,
      )
      assert.match(run({ of, call: 'check_clock', env }).said, /^ClockSkew: /)
    }
  })
  it('is content with a clock that is right, and with a cluster that does not answer', () => {
    standIn('curl', `printf 'date: %s\\r\\n' "$(date -u -R)"`)
    assert.equal(run({ of, call: 'check_clock', env }).code, 0)
    standIn('curl', 'exit 7')
    assert.equal(run({ of, call: 'check_clock', env }).code, 0)
  })
})

describe('runtime_driver', () => {
  const of = 'tls-bootstrap/join.sh'
  function dump(value: string, section: string): void {
    standIn(
      'containerd',
      `printf '%s\\n' '[plugins.other.options]' 'SystemdCgroup = true' '${section}' 'SystemdCgroup = ${value}'`,
    )
  }
  for (const section of [
    '  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]',
    '  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]',
  ]) {
    it(`JOIN-17: reads the driver of runc from ${section.trim()}`, () => {
      dump('true', section)
      assert.equal(run({ of, call: 'runtime_driver' }).out, 'systemd\n')
      dump('false', section)
      assert.equal(run({ of, call: 'runtime_driver' }).out, 'cgroupfs\n')
    })
  }
  it('JOIN-17: refuses a driver that containerd does not use', () => {
    dump('false', '[x.runtimes.runc.options]')
    const { code, said } = run({ of, call: 'check_driver', env: { KPSSH_VAR_cgroupDriver: 'systemd' } })
    assert.equal(code, 1)
    assert.equal(said, 'CgroupDriverMismatch: containerd uses cgroupfs, the var cgroupDriver says systemd')
  })
})

describe('ca_hashes', () => {
  const hasOpenssl = spawnSync('openssl', ['version']).status === 0
  it(
    'pins every certificate of a bundle',
    { skip: hasOpenssl ? false : 'openssl is not on this machine' },
    () => {
      const make = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj /CN=ca 2>/dev/null`
      const { code, out } = run({ of: 'kubeadm/join.sh', call: `ca_hashes "$(${make}; ${make})"` })
      assert.equal(code, 0)
      assert.match(out, /^(sha256:[0-9a-f]{64}\n){2}$/)
      assert.doesNotMatch(out, /e3b0c44298fc1c14/) // the hash of nothing
    },
  )
})

describe('hide_secrets', () => {
  it('SSH-36: leaves no secret in the environment of what a phase starts', () => {
    const env = {
      KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
      KPSSH_SECRET_TOKEN: 'hidden',
      KPSSH_VAR_a: 'b',
    }
    for (const of of [
      'tls-bootstrap/join.sh',
      'kubeadm/join.sh',
      'k3s/join.sh',
      'nodeadm-ssm/join.sh',
      'sbc/join.sh',
    ]) {
      const { out } = run({ of, call: 'hide_secrets; env | grep -c KPSSH_; echo "$KPSSH_SECRET_TOKEN"', env })
      assert.equal(out, '1\nhidden\n', of)
    }
  })
})
