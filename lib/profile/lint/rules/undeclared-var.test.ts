import { testRule } from '../../../../test/support/test-rule.ts'
import { undeclaredVar } from './undeclared-var.ts'

const parameters = [{ name: 'k8sMinor' }]

testRule(undeclaredVar, {
  finds: [
    {
      title: 'a name that is not declared, wherever it stands',
      phase: 'install',
      script: ['minor=${KPSSH_VAR_k8sminor:-}', 'cat <<EOF', 'dns: $KPSSH_VAR_dns', 'EOF'],
      parameters,
      found: [
        '1: $KPSSH_VAR_k8sminor is read, but spec.parameters does not declare k8sminor',
        '3: $KPSSH_VAR_dns is read, but spec.parameters does not declare dns',
      ],
    },
  ],
  passes: [
    {
      title: 'what is declared',
      script: ['minor=${KPSSH_VAR_k8sMinor:?}', "echo '$KPSSH_VAR_other'"],
      parameters,
    },
    { title: 'a profile that declares nothing', script: ['echo "$KPSSH_VAR_a"'] },
    { title: 'what is no var', script: ['echo "$KPSSH_NODE_NAME" "$VAR_x"'], parameters },
  ],
})
