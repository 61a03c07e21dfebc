import { testRule } from '../../../../test/support/test-rule.ts'
import { appends } from './appends.ts'

testRule(appends, {
  finds: [
    {
      title: 'files that grow with every run',
      phase: 'install',
      script: [
        'echo "10.0.0.1 api" >> /etc/hosts',
        'echo options | sudo tee -a /etc/modprobe.d/x.conf >/dev/null',
        '{ echo a; echo b; } >>/etc/sysctl.conf',
        'if [[ -f /etc/fstab ]]; then cat >>/etc/fstab <<EOF',
        'x',
        'EOF',
        'fi',
      ],
      found: [
        '1: /etc/hosts grows with every run',
        '2: /etc/modprobe.d/x.conf grows with every run',
        '3: /etc/sysctl.conf grows with every run',
        '4: /etc/fstab grows with every run',
      ],
    },
  ],
  passes: [
    {
      title: 'a file that is written anew before',
      phase: 'join',
      script: [
        'config=/etc/kubernetes/kubelet.yaml',
        'cat >"$config" <<EOF',
        'a: b',
        'EOF',
        '[ ! -f /run/resolv.conf ] || echo "resolvConf: /run/resolv.conf" >>/etc/kubernetes/kubelet.yaml',
        'rm -f /etc/x',
        'echo a >>/etc/x',
      ],
    },
    {
      title: 'lines that are looked for first',
      phase: 'install',
      script: [
        'grep -qxF "10.0.0.1 api" /etc/hosts || echo "10.0.0.1 api" >>/etc/hosts',
        'if ! grep -q overlay /etc/modules; then',
        '  echo overlay >>/etc/modules',
        'fi',
        'sed -i /overlay/d /etc/sysctl.conf',
        'echo overlay >>/etc/sysctl.conf',
      ],
    },
    {
      title: 'logs, temporary files, and variables',
      phase: 'install',
      script: [
        'echo a >>/var/log/kpssh',
        'file=$(mktemp)',
        'echo a >>"$file"',
        'list+=(a)',
        'echo a >>"$UNKNOWN"',
        "cat <<'EOF' >/etc/x",
        'a >> b',
        'EOF',
      ],
    },
  ],
})
