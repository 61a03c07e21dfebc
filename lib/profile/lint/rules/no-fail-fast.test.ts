import { testRule } from '../../../../test/support/test-rule.ts'
import { noFailFast } from './no-fail-fast.ts'

testRule(noFailFast, {
  finds: [
    {
      title: 'a script that goes on after failures, at its first command',
      script: ['#!/usr/bin/env bash', '# set -euo pipefail', '', 'echo a'],
      found: [
        '4: the script does not end at a failing command and does not end at an unset variable and does not notice a failure inside of a pipe',
      ],
    },
    {
      title: 'what is missing of the three',
      script: ['set -eu', 'true'],
      found: ['1: the script does not notice a failure inside of a pipe'],
    },
    {
      title: 'options that come after the first program',
      script: ['apt-get update', 'set -euo pipefail'],
      found: [
        '1: the script does not end at a failing command and does not end at an unset variable and does not notice a failure inside of a pipe',
      ],
    },
  ],
  passes: [
    { title: 'all three in one', script: ['#!/usr/bin/env bash', 'set -euo pipefail', 'true'] },
    { title: 'all three one by one', script: ['set -e', 'set -u', 'set -o pipefail'] },
    { title: 'their long names', script: ['set -o errexit -o nounset -o pipefail'] },
    { title: 'more letters than these', script: ['set -Eeuxo pipefail'] },
    { title: 'a template, which raw mode alone can run', script: ['echo {{ .NodeName }}'] },
  ],
})
