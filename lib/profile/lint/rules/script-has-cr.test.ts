import { testRule } from '../../../../test/support/test-rule.ts'
import { scriptHasCR } from './script-has-cr.ts'

testRule(scriptHasCR, {
  finds: [
    {
      title: 'SSH-23: line ends of Windows',
      script: 'true\nfalse\r\n',
      found: ['2: the script has carriage returns'],
    },
    {
      title: 'SSH-23: a lone carriage return in a heredoc',
      script: 'cat <<E\na\rb\nE\n',
      found: ['2: the script has carriage returns'],
    },
  ],
  passes: [{ title: 'line feeds, and an escape', script: "printf 'a\\r\\n'\n" }],
})
