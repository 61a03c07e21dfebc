import { testRule } from '../../../../test/support/test-rule.ts'
import { leaveUsesEnvironment } from './leave-uses-environment.ts'

testRule(leaveUsesEnvironment, {
  finds: [
    {
      title: 'what decides the same way at every leave',
      phase: 'leave',
      script: ['if [[ -n ${KPSSH_VAR_drain:-} ]]; then true; fi', '[ -z "$KPSSH_NODE_NAME" ]'],
      found: [
        '1: $KPSSH_VAR_drain is always empty when a host leaves',
        '2: $KPSSH_NODE_NAME is always empty when a host leaves',
      ],
    },
  ],
  passes: [
    { title: 'the addresses', phase: 'leave', script: ['echo "${KPSSH_NODE_ADDRESS:-$KPSSH_HOST_ADDRESS}"'] },
    {
      title: 'what ends the script, which another rule is about',
      phase: 'leave',
      script: ['echo "$KPSSH_VAR_a"'],
    },
    { title: 'install', phase: 'install', script: ['echo "${KPSSH_VAR_a:-}"'] },
  ],
})
