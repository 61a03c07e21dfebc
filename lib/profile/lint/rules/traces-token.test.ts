import { testRule } from '../../../../test/support/test-rule.ts'
import { tracesToken } from './traces-token.ts'

testRule(tracesToken, {
  finds: [
    {
      title: 'a check of the token while tracing is on',
      script: ['set -euxo pipefail', ': "${KPSSH_CLUSTER_ENDPOINT:?}" "${KPSSH_BOOTSTRAP_TOKEN:?}"'],
      found: ['2: $KPSSH_BOOTSTRAP_TOKEN is expanded while tracing is on'],
    },
  ],
  passes: [
    { title: 'a check before', script: [': "${KPSSH_BOOTSTRAP_TOKEN:?}"', 'set -x', 'true'] },
    { title: 'other secrets, which another rule is about', script: ['set -x', 'echo "$KPSSH_SECRET_A"'] },
    { title: 'what is no secret', script: ['set -x', 'echo "$KPSSH_CLUSTER_CA_B64" "$KPSSH_NODE_NAME"'] },
  ],
})
