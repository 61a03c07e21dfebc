import { testRule } from '../../../../test/support/test-rule.ts'
import { scriptHasBOM } from './script-has-bom.ts'

testRule(scriptHasBOM, {
  finds: [
    {
      title: 'SSH-23: a byte order mark',
      script: '\ufeff#!/bin/bash\n',
      found: ['1: the script starts with a byte order mark'],
    },
  ],
  passes: [{ title: 'text of other alphabets', script: 'echo é\n' }],
})
