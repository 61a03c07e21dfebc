import { testRule } from '../../../../test/support/test-rule.ts'
import { secretInArguments } from './secret-in-arguments.ts'

testRule(secretInArguments, {
  finds: [
    {
      title: 'SSH-36: arguments of programs, however the value got there',
      script: [
        'curl -H "Authorization: Bearer $KPSSH_BOOTSTRAP_TOKEN" https://192.0.2.1',
        'password=$KPSSH_SECRET_PASSWORD',
        'login() { local given=$1; registry login --password "$given"; }',
        'login "$password"',
        'kubeadm join --token \\',
        '  "$KPSSH_BOOTSTRAP_TOKEN"',
      ],
      found: [
        '1: an argument of curl holds a secret: "Authorization: Bearer $KPSSH_BOOTSTRAP_TOKEN"',
        '3: an argument of registry holds a secret: "$given"',
        '6: an argument of kubeadm holds a secret: "$KPSSH_BOOTSTRAP_TOKEN"',
      ],
    },
    {
      title: 'programs that start others',
      script: ['sudo env CODE="$KPSSH_SECRET_CODE" register', 'sudo echo "$KPSSH_SECRET_CODE"'],
      found: [
        '1: an argument of register holds a secret: CODE="$KPSSH_SECRET_CODE"',
        '2: an argument of echo holds a secret: "$KPSSH_SECRET_CODE"',
      ],
    },
    {
      title: 'programs that are named like builtins',
      script: ['/usr/bin/printf %s "$KPSSH_SECRET_CODE" | register --stdin'],
      found: ['1: an argument of printf holds a secret: "$KPSSH_SECRET_CODE"'],
    },
  ],
  passes: [
    {
      title: 'builtins, files and stdin',
      script: [
        'printf %s "$KPSSH_SECRET_CODE" | register --stdin',
        'register --stdin <<<"$KPSSH_SECRET_CODE"',
        '(umask 077 && cat >/run/code) <<EOF',
        '$KPSSH_SECRET_CODE',
        'EOF',
        '[[ $KPSSH_SECRET_CODE =~ ^[a-z]+$ ]]',
        'export CODE=$KPSSH_SECRET_CODE',
      ],
    },
    { title: 'functions of the script', script: ['need() { [[ -n $1 ]]; }', 'need "$KPSSH_SECRET_CODE"'] },
    { title: 'an environment of its own', script: ['CODE=$KPSSH_SECRET_CODE register'] },
    {
      title: 'what is public',
      script: [
        'echo "$KPSSH_CLUSTER_CA_B64" | base64 -d',
        'curl "$KPSSH_CLUSTER_ENDPOINT"',
        'id "${KPSSH_SECRET_CODE:+x}"',
      ],
    },
    {
      title: 'files that are named in secret',
      script: ['file=$(mktemp)', 'printf %s "$KPSSH_SECRET_A" >"$file"', 'chmod 600 "$file"'],
    },
  ],
})
