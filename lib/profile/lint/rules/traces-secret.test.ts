import { testRule } from '../../../../test/support/test-rule.ts'
import { tracesSecret } from './traces-secret.ts'

testRule(tracesSecret, {
  finds: [
    {
      title: 'SSH-36: secrets that are used while tracing is on, and what was made of them',
      script: [
        'set -euxo pipefail',
        ': "${KPSSH_SECRET_ACTIVATIONID:?}"',
        'code=$KPSSH_SECRET_CODE',
        'set +x',
        'echo "$code"',
        'set -o xtrace',
        '[[ -n $code ]]',
        'cat >/etc/config <<EOF',
        'code: ${code}',
        'EOF',
      ],
      found: [
        '2: $KPSSH_SECRET_ACTIVATIONID is expanded while tracing is on',
        '3: $KPSSH_SECRET_CODE is expanded while tracing is on',
        '7: $code is expanded while tracing is on',
        '9: a secret is expanded in a heredoc while tracing is on',
      ],
    },
    {
      title: 'tracing that a function or a branch may have switched on',
      script: [
        'trace() { [[ -z ${DEBUG:-} ]] || set -x; }',
        'trace',
        'printf %s "$KPSSH_SECRET_A" >/run/a',
        'set +x',
        'if [[ -e /debug ]]; then set -x; fi',
        'printf %s "$(printf %s "$KPSSH_SECRET_B" | base64)" >/run/b',
      ],
      found: [
        '3: $KPSSH_SECRET_A is expanded while tracing is on',
        '6: $KPSSH_SECRET_B is expanded while tracing is on',
      ],
    },
    {
      title: 'a secret in a heredoc, on its own line',
      script: ['set -x', 'cat >/etc/config <<EOF', 'a: b', 'code: ${KPSSH_SECRET_CODE}', 'EOF'],
      found: ['4: $KPSSH_SECRET_CODE is expanded in a heredoc while tracing is on'],
    },
    {
      title: 'secrets of a template',
      script: ['set -x', 'echo {{ .Secrets.code }}'],
      found: ['2: a secret is expanded while tracing is on'],
    },
  ],
  passes: [
    {
      title: 'tracing after the last use',
      script: [': "${KPSSH_SECRET_A:?}"', 'printf %s "$KPSSH_SECRET_A" >/run/a', 'set -x', 'nodeadm init'],
    },
    {
      title: 'tracing in a branch that ends the script',
      script: [
        'if [ -f /registered ]; then',
        '  set -x',
        '  systemctl start kubelet',
        '  exit 0',
        'fi',
        'echo "$KPSSH_SECRET_A"',
      ],
    },
    {
      title: 'tracing in a process of its own',
      script: ['(set -x; true)', 'x=$(set -x; true)', 'echo "$KPSSH_SECRET_A"'],
    },
    {
      title: 'tracing in a function that nobody calls before',
      script: ['go() { set -x; nodeadm init; }', 'echo "$KPSSH_SECRET_A"', 'go'],
    },
    {
      title: 'whether there is one, and how long',
      script: ['set -x', 'echo "${KPSSH_SECRET_A:+set}" "${#KPSSH_SECRET_A}"'],
    },
    {
      title: 'words that only look like it',
      script: ['set -- -x', "echo 'set -x'", 'echo "$KPSSH_SECRET_A"'],
    },
    { title: 'the token, which another rule is about', script: ['set -x', 'echo "$KPSSH_BOOTSTRAP_TOKEN"'] },
  ],
})
