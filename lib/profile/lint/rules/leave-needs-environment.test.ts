import { testRule } from '../../../../test/support/test-rule.ts'
import { leaveNeedsEnvironment } from './leave-needs-environment.ts'

testRule(leaveNeedsEnvironment, {
  finds: [
    {
      title: 'vars and secrets that the script cannot do without',
      phase: 'leave',
      script: ['echo "$KPSSH_VAR_region"', 'x=${KPSSH_SECRET_CODE#a}', 'true'],
      found: [
        '1: $KPSSH_VAR_region does not exist when a host leaves',
        '2: $KPSSH_SECRET_CODE does not exist when a host leaves',
      ],
    },
    {
      title: 'what is there and empty, where empty is not enough',
      phase: 'leave',
      script: [': "${KPSSH_CLUSTER_ENDPOINT:?}"'],
      found: ['1: $KPSSH_CLUSTER_ENDPOINT does not exist when a host leaves'],
    },
    {
      title: 'heredocs, substitutions and arithmetic',
      phase: 'uninstall',
      script: [
        'cat >/tmp/x <<EOF',
        'a: $KPSSH_VAR_a',
        'EOF',
        'echo "$(echo $((KPSSH_VAR_b + $KPSSH_VAR_b)))"',
      ],
      found: [
        '2: $KPSSH_VAR_a does not exist when a host leaves',
        '4: $KPSSH_VAR_b does not exist when a host leaves',
      ],
    },
  ],
  passes: [
    {
      title: 'the addresses',
      phase: 'leave',
      script: ['echo "$KPSSH_HOST_ADDRESS ${KPSSH_NODE_ADDRESS:?}"'],
    },
    { title: 'what stands in for it', phase: 'leave', script: ['echo "${KPSSH_VAR_region:-}"'] },
    {
      title: 'text that is not expanded',
      phase: 'leave',
      script: ['# $KPSSH_VAR_a', "echo '$KPSSH_VAR_a' \\$KPSSH_VAR_a", "cat <<'EOF'", '$KPSSH_VAR_a', 'EOF'],
    },
    {
      title: 'names of secrets, to take them out of the environment',
      phase: 'leave',
      script: ['export -n "${!KPSSH_SECRET_@}"'],
    },
    { title: 'join', phase: 'join', script: ['echo "$KPSSH_VAR_region"'] },
  ],
})
