import { testRule } from '../../../../test/support/test-rule.ts'
import { unsetVar } from './unset-var.ts'

const parameters = [{ name: 'k8sMinor' }, { name: 'clusterDNS', default: '10.96.0.10' }]

testRule(unsetVar, {
  finds: [
    {
      title: 'a parameter with a default that the script takes for given',
      script: ['minor=$KPSSH_VAR_k8sMinor', 'dns=${KPSSH_VAR_clusterDNS}', 'echo "$KPSSH_VAR_clusterDNS"'],
      parameters,
      found: ['2: $KPSSH_VAR_clusterDNS has a default in the profile and none in the script'],
    },
  ],
  passes: [
    { title: 'a default in the script', script: ['dns=${KPSSH_VAR_clusterDNS:-10.96.0.10}'], parameters },
    {
      title: 'a script that asks whether it is there',
      script: ['if [[ -n ${KPSSH_VAR_clusterDNS:-} ]]; then echo "$KPSSH_VAR_clusterDNS"; fi'],
      parameters,
    },
    { title: 'a parameter that every class must set', script: ['minor=$KPSSH_VAR_k8sMinor'], parameters },
    { title: 'a profile that declares nothing', script: ['echo "$KPSSH_VAR_a"'] },
    {
      title: 'leave, which has no vars',
      phase: 'leave',
      script: ['echo "$KPSSH_VAR_clusterDNS"'],
      parameters,
    },
  ],
})
