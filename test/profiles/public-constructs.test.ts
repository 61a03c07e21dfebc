// Constructs of profiles and scripts that people have published, in words of our own: what they do right must raise no alarm,
// and what they do wrong must be named.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lintProfile } from '../../lib/profile/lint-profile.ts'
import type { Profile } from '../../lib/profile/profile.ts'

const install = 'set -euo pipefail\ntrue\n'
const join = 'set -euo pipefail\nsystemctl enable --now containerd\nsystemctl enable --now kubelet\n'
const leave = 'set -euo pipefail\nsystemctl disable --now kubelet\nsystemctl disable --now containerd\n'

function found(scripts: Profile['spec']['scripts']): readonly string[] {
  const profile = { metadata: { name: 'public' }, spec: { scripts: { install, join, leave, ...scripts } } }
  return lintProfile(profile).map(
    ({ phase, line, severity, reason }) => `${phase}:${line} ${severity} ${reason}`,
  )
}

function lines(...text: readonly string[]): string {
  return [...text, ''].join('\n')
}

describe('a profile of the tls-bootstrap kind', () => {
  it('installs from a package repository without an alarm, traced from the first line on', () => {
    const script = lines(
      '#!/usr/bin/env bash',
      'set -euxo pipefail',
      'export DEBIAN_FRONTEND=noninteractive',
      'MINOR="${KPSSH_VAR_minor:?the var minor is required}"',
      'cat > /etc/modules-load.d/pods.conf <<MODULES',
      'overlay',
      'MODULES',
      'modprobe overlay || true',
      'sysctl --system >/dev/null',
      'apt-get update -q',
      'apt-get install -y -q containerd socat',
      'containerd config default > /etc/containerd/config.toml',
      "sed -i '/SystemdCgroup/s/false/true/' /etc/containerd/config.toml",
      'systemctl enable --now containerd',
      'curl -fsSL "https://packages.example/v${MINOR}/Release.key" \\',
      '  | gpg --dearmor --yes -o /etc/apt/keyrings/packages.gpg',
      'echo "deb [signed-by=/etc/apt/keyrings/packages.gpg] https://packages.example/v${MINOR}/ /" \\',
      '  > /etc/apt/sources.list.d/packages.list',
      'apt-get install -y -q kubelet',
      'apt-mark hold kubelet',
      'systemctl disable --now kubelet || true',
    )
    assert.deepEqual(found({ install: script }), [])
  })

  const credentials = [
    'systemctl stop kubelet 2>/dev/null || true',
    'rm -f /etc/kubernetes/kubelet.conf /etc/kubernetes/bootstrap.conf',
    'rm -rf /var/lib/kubelet/pki',
    'echo "${KPSSH_CLUSTER_CA_B64}" | base64 -d > /etc/kubernetes/pki/ca.crt',
    'cat > /etc/kubernetes/bootstrap.conf <<CONFIG',
    'user:',
    '  token: ${KPSSH_BOOTSTRAP_TOKEN}',
    'CONFIG',
    'chmod 600 /etc/kubernetes/bootstrap.conf',
  ]
  const start = [
    'cat > /etc/kubernetes/kubelet.yaml <<CONFIG',
    'clusterDNS: ["${DNS}"]',
    'CONFIG',
    'if [ -f /run/systemd/resolve/resolv.conf ]; then',
    "  echo 'resolvConf: /run/systemd/resolve/resolv.conf' >> /etc/kubernetes/kubelet.yaml",
    'fi',
    'FLAGS="--hostname-override=${KPSSH_NODE_NAME}"',
    'case "${KPSSH_NODE_ADDRESS:-}" in',
    '  *[!:.0-9A-Fa-f]* | "") ;;',
    '  *) FLAGS="${FLAGS} --node-ip=${KPSSH_NODE_ADDRESS}" ;;',
    'esac',
    '[ -n "${KPSSH_TAINTS:-}" ] && FLAGS="${FLAGS} --register-with-taints=${KPSSH_TAINTS}"',
    'cat > /etc/systemd/system/kubelet.service.d/90-join.conf <<UNIT',
    '[Service]',
    'ExecStart=',
    'ExecStart=/usr/bin/kubelet ${FLAGS}',
    'UNIT',
    'systemctl daemon-reload',
    'systemctl enable --now containerd',
    'systemctl enable --now kubelet',
    'systemctl restart kubelet',
    'for try in $(seq 60); do',
    '  [ -s /etc/kubernetes/kubelet.conf ] && { echo "joined at $try"; exit 0; }',
    '  sleep 2',
    'done',
    'journalctl -u kubelet --no-pager -n 50 >&2 || true',
    'exit 1',
  ]

  it('joins without an alarm when it does not trace', () => {
    const script = lines(
      '#!/usr/bin/env bash',
      'set -euo pipefail',
      ': "${KPSSH_CLUSTER_ENDPOINT:?}" "${KPSSH_BOOTSTRAP_TOKEN:?}"',
      'DNS="${KPSSH_VAR_dns:-10.96.0.10}"',
      ...credentials,
      ...start,
    )
    assert.deepEqual(found({ join: script }), [])
  })
  it('is warned, and only that, when it traces what it does with the token', () => {
    const script = lines(
      'set -euxo pipefail',
      ': "${KPSSH_BOOTSTRAP_TOKEN:?}"',
      'DNS=x',
      ...credentials,
      ...start,
    )
    assert.deepEqual(found({ join: script }), ['join:2 warning TracesToken', 'join:10 warning TracesToken'])
  })

  const ends = [
    'systemctl disable --now kubelet 2>/dev/null || true',
    'systemctl disable --now containerd 2>/dev/null || true',
    'pkill -9 -f containerd-shim 2>/dev/null || true',
    'sleep 1',
    `awk '$2 ~ "^/var/lib/kubelet/" { print $2 }' /proc/self/mounts | sort -r | xargs -r -n 1 umount -f || true`,
    'rm -f /etc/kubernetes/kubelet.conf',
    'rm -rf /var/lib/kubelet/pki /var/lib/kubelet/pods',
    'rm -rf /etc/cni/net.d/*',
  ]

  it('leaves without an alarm, and takes devices of the network plugin with it', () => {
    const devices = 'for dev in bridge0 cni0 flannel.1 cilium_host cilium_net cilium_vxlan; do'
    const script = lines(
      'set -euxo pipefail',
      ...ends,
      devices,
      '  ip link del "$dev" 2>/dev/null || true',
      'done',
    )
    assert.deepEqual(found({ leave: script }), [])
  })
  it('SSH-15: is stopped from taking the device that its own session rides on', () => {
    const devices = 'for dev in cni0 cilium_wg0; do ip link del "$dev" || true; done'
    assert.deepEqual(found({ leave: lines('set -euo pipefail', ...ends, devices) }), [
      'leave:10 error StopsTunnel',
    ])
  })
  it('EKS-01: is warned of an uninstall that deletes what may be mounted, not of what uninstall is for', () => {
    const script = lines(
      'set -euxo pipefail',
      'systemctl disable --now kubelet 2>/dev/null || true',
      'apt-mark unhold kubelet || true',
      'export DEBIAN_FRONTEND=noninteractive',
      'apt-get purge -y -q kubelet || true',
      'rm -rf /etc/kubernetes /var/lib/kubelet /etc/cni /opt/cni /var/lib/kpssh',
      'systemctl daemon-reload',
    )
    assert.deepEqual(found({ uninstall: script }), ['uninstall:6 warning RemovesMounted'])
  })
})

describe('a profile of the sbc kind', () => {
  it('installs only what is missing, without an alarm', () => {
    const script = lines(
      'set -euxo pipefail',
      'export DEBIAN_FRONTEND=noninteractive',
      'MINOR="${KPSSH_VAR_minor:?}"',
      'if ! grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then',
      '  echo "the memory controller is off: prepare the board (cgroup_enable=memory + reboot) first" >&2',
      '  exit 1',
      'fi',
      'systemctl disable --now dphys-swapfile 2>/dev/null || true',
      'swapoff -a 2>/dev/null || true',
      String.raw`present=$(kubelet --version 2>/dev/null | grep -oE '1\.[0-9]+' || true)`,
      'if [ "${present}" != "${MINOR}" ] || ! command -v containerd >/dev/null; then',
      '  apt-get install -y -q --allow-downgrades kubelet containerd',
      '  apt-mark hold kubelet',
      'fi',
      `sed -i 's|"/usr/lib/cni"|"/opt/cni/bin"|' /etc/containerd/config.toml`,
      'systemctl restart containerd',
      'systemctl disable --now kubelet || true',
    )
    assert.deepEqual(found({ install: script }), [])
  })
})

describe('a profile of the nodeadm-ssm kind', () => {
  const warm = [
    'if [ -f /var/lib/amazon/ssm/registration ] && [ -f /etc/nodeadm/config.yaml ]; then',
    '  set -x',
    '  systemctl enable --now containerd',
    '  systemctl enable --now kubelet',
    '  exit 0',
    'fi',
  ]
  const cold = [
    ': "${KPSSH_SECRET_ACTIVATIONID:?a cold join needs one}"',
    'mkdir -p /etc/nodeadm',
    'cat > /etc/nodeadm/config.yaml <<CONFIG',
    'activation: "${KPSSH_SECRET_ACTIVATIONID}"',
    'CONFIG',
    'chmod 600 /etc/nodeadm/config.yaml',
  ]

  it('SSH-36: traces the warm way, which ends there, and the cold one after the last secret, without an alarm', () => {
    const script = lines(
      'set -euo pipefail',
      ...warm,
      ...cold,
      'set -x',
      'nodeadm init -c file:///etc/nodeadm/config.yaml',
    )
    assert.deepEqual(found({ join: script }), [])
  })
  it('SSH-36: is told where it traces too early', () => {
    const script = lines('set -euo pipefail', ...warm, 'set -x', ...cold, 'nodeadm init')
    assert.deepEqual(found({ join: script }), ['join:9 error TracesSecret', 'join:12 error TracesSecret'])
  })
  it('keeps its registration when it leaves, and gives it back in uninstall', () => {
    const uninstall = lines(
      'set -euxo pipefail',
      'nodeadm uninstall || nodeadm uninstall --skip node-validation',
    )
    const script = lines(
      'set -euxo pipefail',
      'systemctl disable --now kubelet 2>/dev/null || true',
      'systemctl disable --now containerd 2>/dev/null || true',
    )
    assert.deepEqual(found({ leave: script, uninstall }), [])
  })
})

describe('a clean-up script of a board, pasted as leave', () => {
  const script = lines(
    '#!/bin/bash',
    '',
    '# stops at errors, it says',
    'echo "cleaning up"',
    'sudo systemctl stop kubelet || true',
    'sudo systemctl stop containerd || true',
    'sudo systemctl stop amazon-ssm-agent || true',
    'sudo rm -rf /etc/kubernetes/',
    'sudo rm -rf /var/lib/kubelet/',
    'sudo rm -rf /etc/cni/',
    'sudo rm -rf /opt/cni/',
    'sudo rm -f /usr/bin/kubelet',
    'sudo rm -rf /var/lib/containerd/',
    'sudo systemctl disable kubelet',
    'sudo systemctl disable containerd',
    'sudo rm -f /etc/systemd/system/kubelet.service',
    'sudo apt-get remove -y amazon-ssm-agent || true',
    'sudo rm -rf /var/lib/amazon/ssm',
    'sudo rm -rf ~/.kube',
    'sudo systemctl stop wg-quick@wg0 || true',
    'sudo systemctl disable wg-quick@wg0 || true',
    'sudo rm -f /etc/wireguard/wg0.conf',
    'sudo systemctl daemon-reload',
    'sudo snap remove aws-cli || true',
    'sleep 5',
    'sudo reboot',
  )

  it('EKS-01, EKS-07, SSH-15, SSH-30, JOIN-11: is told each of its faults, and nothing else', () => {
    assert.deepEqual(found({ leave: script }), [
      'leave:4 warning NoFailFast',
      'leave:5 warning DisablesLate',
      'leave:6 warning DisablesLate',
      'leave:9 error RemovesMounted',
      'leave:11 error LeaveRemovesInstalled',
      'leave:12 error LeaveRemovesInstalled',
      'leave:17 error LeaveRemovesInstalled',
      'leave:18 error DropsRegistration',
      'leave:20 error StopsTunnel',
      'leave:24 error LeaveRemovesInstalled',
      'leave:26 error Reboots',
    ])
  })
  it('is told the same as uninstall, but for what uninstall is there for', () => {
    assert.deepEqual(found({ uninstall: script }), [
      'uninstall:4 warning NoFailFast',
      'uninstall:5 warning DisablesLate',
      'uninstall:6 warning DisablesLate',
      'uninstall:9 warning RemovesMounted',
      'uninstall:18 warning DropsRegistration',
      'uninstall:20 warning StopsTunnel',
      'uninstall:26 warning Reboots',
    ])
  })
})
