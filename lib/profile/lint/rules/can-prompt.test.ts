import { testRule } from '../../../../test/support/test-rule.ts'
import { canPrompt } from './can-prompt.ts'

testRule(canPrompt, {
  finds: [
    {
      title: 'SSH-32: package managers that wait for a yes',
      phase: 'install',
      script: ['apt-get install containerd', 'dnf install containerd', 'zypper in containerd', 'apt upgrade'],
      found: [
        '1: apt-get may ask, give it -y',
        '2: dnf may ask, give it -y',
        '3: zypper may ask, give it -y',
        '4: apt may ask, give it -y',
      ],
    },
    {
      title: 'SSH-32: settings of a package',
      phase: 'install',
      script: ['apt-get install -y containerd'],
      found: ['1: apt-get may ask, set DEBIAN_FRONTEND=noninteractive'],
    },
    {
      title: 'programs that ask before they overwrite, delete or begin',
      phase: 'install',
      script: [
        'curl -fsSL https://192.0.2.1/key | gpg --dearmor -o /etc/apt/keyrings/k.gpg',
        'kubeadm reset',
        'read -rp "Continue? " answer',
        'ufw enable',
        'rm -ri /etc/x',
        'ssh-keygen -t ed25519 -f /etc/key',
        'systemctl edit kubelet',
      ],
      found: [
        '1: gpg may ask, give it --yes for a file that is there already',
        '2: kubeadm may ask, give it --force',
        '3: read may ask, nothing is ever typed',
        '4: ufw may ask, give it --force',
        '5: rm may ask, leave out -i',
        "6: ssh-keygen may ask, give it -N ''",
        '7: systemctl may ask, write the drop-in',
      ],
    },
  ],
  passes: [
    {
      title: 'the same with the answer given',
      phase: 'install',
      script: [
        'export DEBIAN_FRONTEND=noninteractive',
        'apt-get update -q',
        'apt-get install -y -q containerd',
        'sudo apt-get -qq install containerd',
        'dnf -y install containerd',
        'gpg --dearmor --yes -o /etc/apt/keyrings/k.gpg </etc/k.asc',
        'kubeadm reset -f',
        'ufw --force enable',
        "ssh-keygen -t ed25519 -N '' -f /etc/key",
        'apt-mark hold kubelet',
      ],
    },
    {
      title: 'a function that gives it',
      phase: 'install',
      script: [
        'apt_get() { DEBIAN_FRONTEND=noninteractive with_lock apt-get -q -y "$@"; }',
        'with_lock() { until "$@"; do sleep 1; done; }',
        'apt_get install containerd',
      ],
    },
    {
      title: 'an answer that comes through a pipe or from a file',
      phase: 'install',
      script: ['yes | apt-get install containerd', 'kubeadm reset <<<y'],
    },
    {
      title: 'lines that are read from a file',
      phase: 'install',
      script: ['while read -r line; do :; done </etc/hosts'],
    },
    {
      title: 'answers about packages',
      phase: 'install',
      script: ['apt-cache policy kubelet', 'dpkg -l', 'dnf list', 'apt list'],
    },
    { title: 'removing quietly', phase: 'uninstall', script: ['apt-get remove -y kubelet'] },
  ],
})
