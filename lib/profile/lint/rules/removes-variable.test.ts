import { testRule } from '../../../../test/support/test-rule.ts'
import { removesVariable } from './removes-variable.ts'

testRule(removesVariable, {
  finds: [
    {
      title: 'paths of which only the root is left when the variable is empty',
      script: [
        'rm -rf "$DATA_DIR"',
        'rm -rf "$DATA_DIR"/*',
        'rm -fr "$PREFIX/etc"',
        'rm --recursive -- "$(cat /etc/where)/"',
      ],
      found: [
        '1: rm -r of "$DATA_DIR", which may be anything',
        '2: rm -r of "$DATA_DIR"/*, which may be anything',
        '3: rm -r of "$PREFIX/etc", which may be anything',
        '4: rm -r of "$(cat /etc/where)/", which may be anything',
      ],
    },
    {
      title: 'what a function is not told',
      script: ['wipe() { rm -rf "$1"; }', 'wipe "$DATA_DIR"'],
      found: ['1: rm -r of "$1", which may be anything'],
    },
  ],
  passes: [
    {
      title: 'variables that the script itself sets',
      script: [
        'dir=/var/lib/kpssh',
        'rm -rf "$dir"',
        'for each in /var/lib/cni/networks /var/lib/cni/results; do rm -rf "$each"; done',
        'wipe() { rm -rf "$@"; }',
        'wipe /etc/a /etc/b',
      ],
    },
    { title: 'variables that cannot be empty', script: ['rm -rf "${DATA_DIR:?}"/*'] },
    {
      title: 'temporary directories, also when the script ends',
      script: ['tmp=$(mktemp -d)', `trap 'rm -rf "$tmp"' EXIT`, 'rm -rf "$tmp"'],
    },
    {
      title: 'a root in front of a path of its own',
      script: ['root=${KPSSH_ROOT:-}', 'rm -rf "$root/var/lib/kpssh"'],
    },
    { title: 'one file', script: ['rm -f "$FILE"'] },
  ],
})
