import { testRule } from '../../../../test/support/test-rule.ts'
import { scriptTooLarge } from './script-too-large.ts'

testRule(scriptTooLarge, {
  finds: [
    {
      title: 'a byte more than 256 KiB',
      script: 'é'.repeat(131_072) + '\n',
      found: ['0: the script has 262145 bytes, at most 262144 are allowed'],
    },
  ],
  passes: [{ title: '256 KiB', script: 'x'.repeat(262_143) + '\n' }],
})
