import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { innerCommands, commandsOf } from './definitions.ts'
import { parametersIn } from './parameters-in.ts'
import { parseShell } from './parse-shell.ts'
import type { Command } from './syntax.ts'

/** `line kind` of every command, those inside of others after them. */
function kinds(text: string): readonly string[] {
  const all = (command: Command): readonly Command[] => [command, ...innerCommands(command).flatMap(all)]
  return commandsOf(parseShell(text).statements)
    .flatMap(all)
    .map((command) =>
      command.kind === 'simple'
        ? `${command.line} ${[...command.assignments.map(({ name }) => `${name}=`), ...command.words.map(({ source }) => source)].join(' ')}`
        : `${command.line} <${command.kind}>`,
    )
}

function parameters(text: string): readonly string[] {
  return parametersIn(parseShell(text).statements).map(
    ({ line, prefix, name, subscript, operator }) =>
      `${line} ${prefix}${name}${subscript === '' ? '' : `[${subscript}]`}${operator}`,
  )
}

describe('parseShell', () => {
  it('tells commands apart, on one line and over several', () => {
    assert.deepEqual(kinds('a b; c && d || e &\n! f | g |& h\ntime i \\\n  j # k\n'), [
      '1 a b',
      '1 c',
      '1 d',
      '1 e',
      '2 f',
      '2 g',
      '2 h',
      '3 i j',
    ])
  })
  it('keeps words together that quotes, escapes and substitutions make one', () => {
    assert.deepEqual(
      kinds(`a "b ' c" 'd " e' f\\ g $'h\\'i' "$(j "k l")" \`m n\` $((1 + (2))) \${o:-p q} r#s`),
      [`1 a "b ' c" 'd " e' f\\ g $'h\\'i' "$(j "k l")" \`m n\` $((1 + (2))) \${o:-p q} r#s`],
    )
  })
  it('reads compound commands and what is inside of them', () => {
    assert.deepEqual(
      kinds(
        [
          'if a; then b; elif c',
          'then d; else e; fi >f',
          'while read -r x; do g; done < <(h)',
          'for x in i j; do k; done',
          'for ((n = 0; n < 3; n++)) { l; }',
          'case $x in',
          '  (a|b) m ;;',
          '  "c d") n ;&',
          '  *) ;;',
          'esac',
          '{ o; }; (p; q)',
          'f() { r; }',
          'function g { s; }',
          'function h() (t)',
          '((u > 1)) && [[ $v == (w|x)* && -n $y || $z =~ ^(a|b)\\ c$ ]]',
          'select x in a; do b; done',
        ].join('\n'),
      ),
      [
        ...['1 <if>', '1 a', '1 b', '1 c', '2 d', '2 e', '3 <loop>', '3 read -r x', '3 g', '4 <loop>', '4 k'],
        ...[
          '5 <loop>',
          '5 l',
          '6 <case>',
          '7 m',
          '8 n',
          '11 <group>',
          '11 o',
          '11 <subshell>',
          '11 p',
          '11 q',
        ],
        ...['12 <function>', '12 <group>', '12 r', '13 <function>', '13 <group>', '13 s'],
        ...['14 <function>', '14 <subshell>', '14 t', '15 (( ((u > 1))'],
        ...['15 [[ $v == w x * -n $y $z =~ ^(a|b)\\ c$ ]]', '16 <loop>', '16 b'],
      ],
    )
  })
  it('takes assignments, arrays and redirections out of the words', () => {
    assert.deepEqual(kinds('A=1 B+=2 c[3]=4 d <e 2>&1 >|f\ng=(h "i j"\n  # k\n  l) m\n{fd}<n o'), [
      '1 A= B= c= d',
      '2 g= m',
      '5 o',
    ])
  })
  it('leaves out heredocs, whatever they hold, also several and quoted ones', () => {
    const text = [
      'cat <<A <<-"B" >c; d',
      'if then fi $(',
      'A',
      '\t$x',
      '\tB',
      'e <<E && f <<\\F',
      'E',
      "it's",
      'F',
      'g <<<"$y"',
      '',
    ].join('\n')
    assert.deepEqual(kinds(text), ['1 cat', '1 d', '6 e', '6 f', '10 g'])
    assert.deepEqual(parseShell(text).starts, [1, 6, 10, 11])
  })
  it('reads substitutions inside of heredocs with the lines that they stand on', () => {
    assert.deepEqual(parameters('cat <<A\n$a $(b "$c"\n  d <<B\n$e\nB\n) \\$f\nA\n'), ['2 a', '2 c', '4 e'])
  })
  it('finds parameters wherever they are expanded', () => {
    assert.deepEqual(
      parameters(
        [
          `echo $a "\${b}" '$c' \\$d \${e:-$f} \${#g} \${!h@} \${i[@]} \${j[1]} \${k##*/} "\${l:?m}"`,
          'x=$n y=("$o") <$p',
          'for q in $r; do :; done; case $s in $t) ;; esac',
          '[[ $u =~ $v ]] && ((w > $x))',
          'f() { echo $1; } >"$y"',
        ].join('\n'),
      ),
      [
        ...['1 a', '1 b', '1 e:-', '1 f', '1 #g', '1 !h@', '1 i[@]', '1 j[1]', '1 k##', '1 l:?'],
        ...['2 n', '2 o', '2 p', '3 r', '3 s', '3 t', '4 u', '4 v', '4 x', '5 y', '5 1'],
      ],
    )
  })
  it('notes comments, and whether they stand alone', () => {
    assert.deepEqual(parseShell('# a\nb # c\n  #d\necho e#f "# g"\n').comments, [
      { line: 1, text: ' a', isAlone: true },
      { line: 2, text: ' c', isAlone: false },
      { line: 3, text: 'd', isAlone: true },
    ])
  })
  it('takes branches of a template for blanks, and its values for parts of words', () => {
    assert.deepEqual(kinds('{{- if .Vars.a }}\na {{ .Vars.b }}c{{ else }} d\n{{ end }}{{/* e */}}\n'), [
      '2 a {{ .Vars.b }}c{{ else }} d',
    ])
  })
  it('comes to an end with anything', () => {
    for (const text of [
      '',
      'if',
      '"',
      "'",
      '`',
      '$(',
      '${',
      '$((',
      '((',
      'a <<',
      'case',
      'case a in',
      'f() {',
      '[[',
      ')',
      ';;',
      'fi; a',
    ]) {
      assert.ok(parseShell(text).statements.length <= 2, text)
    }
    for (const unit of [
      '$(',
      '${a:-',
      '"',
      '`',
      '(',
      '{ ',
      'a=(',
      'if ',
      'case a in ',
      'f() { ',
      '<<A ',
      '"$(',
      'a && ',
      '\\',
    ]) {
      parseShell(unit.repeat(20_000))
    }
  })
})
