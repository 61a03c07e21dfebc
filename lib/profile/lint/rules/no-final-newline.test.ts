import { testRule } from '../../../../test/support/test-rule.ts'
import { noFinalNewline } from './no-final-newline.ts'

testRule(noFinalNewline, {
  finds: [
    {
      title: 'SSH-23: a last line that does not end',
      script: 'true\ntrue',
      found: ['2: the last line has no end'],
    },
  ],
  passes: [
    { title: 'a last line that ends', script: 'true\n' },
    { title: 'one that ends as on Windows, which another rule is about', script: 'true\r\n' },
  ],
})
