import { testRule } from '../../../../test/support/test-rule.ts'
import { hasTemplate } from './has-template.ts'

testRule(hasTemplate, {
  finds: [
    {
      title: 'actions, also in comments and quotes, each on its line',
      script: ["echo '{{ .NodeName }}'", '# {{ .Vars.x }}', 'true', '{{ if .Vars', '}}{{ end }}'],
      found: [
        '1: {{ .NodeName }} makes the script a template',
        '2: {{ .Vars.x }} makes the script a template',
        '4: {{ if .Vars makes the script a template',
        '5: {{ end }} makes the script a template',
      ],
    },
  ],
  passes: [
    { title: 'braces of the shell', script: ['echo ${a:-{}} {a,b}', '{ true; }', 'f() { { true; }; }'] },
  ],
})
