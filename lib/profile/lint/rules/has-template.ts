import type { Rule } from '../rule.ts'

export const hasTemplate: Rule = {
  name: 'HasTemplate',
  severity: 'warning',
  explanation:
    'A script is signed as it is, and a host in mode Verified runs it as it is: template actions would be run as shell.',
  fix: 'Take the value from the environment: `{{ .Vars.name }}` is `$KPSSH_VAR_name`.',
  check({ text }) {
    return text.split('\n').flatMap((line, index) => {
      const action = /\{\{.*?(?:\}\}|$)/.exec(line)?.[0]
      return action === undefined
        ? []
        : [{ line: index + 1, message: `${action} makes the script a template` }]
    })
  },
}
