import { testRule } from '../../../../test/support/test-rule.ts'
import { leaveNeedsContext } from './leave-needs-context.ts'

testRule(leaveNeedsContext, {
  finds: [
    {
      title: 'vars and secrets, also in a branch that is not taken',
      phase: 'leave',
      script: ['echo {{ .Vars.clusterName }}', '{{ if false }}', '{{ .Secrets.code }}', '{{ end }}'],
      found: [
        '1: .Vars.clusterName is not there when a host leaves, only .HostAddress and .NodeAddress are',
        '3: .Secrets.code is not there when a host leaves, only .HostAddress and .NodeAddress are',
      ],
    },
  ],
  passes: [
    { title: 'the addresses', phase: 'leave', script: ['echo {{ .HostAddress }} {{ .NodeAddress }}'] },
    { title: 'vars of a join', phase: 'join', script: ['echo {{ .Vars.clusterName }}'] },
    { title: 'a template that does not parse: validation says so', phase: 'leave', script: ['{{ .Vars.x'] },
  ],
})
