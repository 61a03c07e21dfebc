import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { lintScript } from '../../lib/profile/lint/lint-script.ts'
import { makeLintProfile } from '../../lib/profile/lint/make-lint-profile.ts'
import { parseShell } from '../../lib/profile/lint/shell/parse-shell.ts'
import { walkScript } from '../../lib/profile/lint/walk/walk-script.ts'
import { parsePattern } from '../../lib/profile/pattern.ts'
import type { ScriptPhase } from '../../lib/profile/script-phase.ts'

const fragment = fc.constantFrom(
  ...[
    'if ',
    'then\n',
    'fi\n',
    'else ',
    'for x in ',
    'do ',
    'done ',
    'case $x in ',
    'esac ',
    'a) ',
    ';;',
    '{ ',
    '}\n',
  ],
  ...[
    'f() ',
    'f ',
    '(',
    ')',
    '((',
    '))',
    '[[ ',
    ' ]] ',
    '$(',
    '`',
    '${a:-',
    '}',
    '$((',
    '"',
    "'",
    '\\',
    '$x',
    '"$@"',
  ],
  ...[
    '<<A\n',
    'A\n',
    '<<-"B"\n',
    '\tB\n',
    '>>f ',
    '<(',
    '|',
    '&&',
    '||',
    '&',
    ';',
    '\n',
    '# c\n',
    'x=',
    'x+=(',
    'y ',
  ],
  ...[
    'local x=1 ',
    'set -x\n',
    'shift ',
    'eval "',
    "trap 'f' EXIT\n",
    'rm -rf ',
    'systemctl stop kubelet\n',
    '{{ .x }}',
  ],
)
const scriptText = fc.oneof(
  fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

function findings(source: string, phase: ScriptPhase = 'leave'): readonly string[] {
  const profile = makeLintProfile({ agentUnits: ['kubelet'], parameters: [], scripts: { [phase]: source } })
  const script = profile.scripts[phase]
  return script === undefined
    ? []
    : lintScript(script, profile).map(({ line, reason }) => `${line} ${reason}`)
}

describe('reading a script', () => {
  it('comes to an end, with lines that the script has', () => {
    fc.assert(
      fc.property(scriptText, (text) => {
        const last = text.split('\n').length
        const program = parseShell(text)
        for (const { line } of program.comments) assert.ok(line >= 1 && line <= last)
        for (const { line } of walkScript(program)) assert.ok(line >= 1 && line <= last, `${line} of ${last}`)
      }),
      { numRuns: 2000 },
    )
  })
  it('does not depend on blank lines and comments between commands', () => {
    const command = fc.constantFrom(
      'a b',
      'c "$x"',
      'rm -rf "$x"',
      'if d; then e; fi',
      'f() { g; }',
      'f',
      'x=1',
      'cat <<A\n$x\nA',
    )
    const filler = fc.constantFrom('\n', '\n\n', '\n# if then "\n', ' # $(\n', '\n  \t\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(command, filler)), (parts) => {
        const calls = (text: string) =>
          walkScript(parseShell(text)).map(({ program, words }) => [program, words.length])
        const plain = parts.map(([each]) => `${each}\n`).join('')
        // A comment may not follow the end of a heredoc on its line.
        const filled = parts
          .map(([each, between]) => (each.includes('<<') ? `${each}\n${between}` : each + between))
          .join('')
        assert.deepEqual(calls(filled), calls(plain))
      }),
    )
  })
})

const root = fileURLToPath(new URL('../../profiles', import.meta.url))
const shipped = readdirSync(root).flatMap((name) =>
  (['install', 'join', 'leave'] as const).map((phase) => ({
    phase,
    lines: readFileSync(`${root}/${name}/${phase}.sh`, 'utf8').split('\n'),
  })),
)

describe('what lint finds', () => {
  it('is the same of a script that does everything in a function, a group or a branch', () => {
    const habits = [
      'reboot',
      'rm -rf "$x"/*',
      'systemctl stop wg-quick@wg0',
      'echo a >>/etc/x',
      'apt-get install x',
      'true',
      'x=/y',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...habits), { minLength: 1, maxLength: 6 }), (commands) => {
        const options = 'set -euo pipefail\n'
        const body = commands.map((each) => `  ${each}\n`).join('')
        const plain = findings(`${options}{\n${body}}\n`, 'install')
        for (const [open, close] of [
          ['main() {', '}; main'],
          ['if true; then', 'fi'],
          ['(', ')'],
          ['for _ in 1; do', 'done'],
        ] as const) {
          assert.deepEqual(findings(`${options}${open}\n${body}${close}\n`, 'install'), plain)
        }
      }),
    )
  })
  it('is nothing in shipped scripts that lost lines that nobody needs: comments and blanks', () => {
    for (const { phase, lines } of shipped) {
      const bare = lines.filter((line) => !/^\s*#/.test(line)).join('\n')
      const profile = makeLintProfile({ agentUnits: [], parameters: undefined, scripts: { [phase]: bare } })
      const script = profile.scripts[phase]
      assert.ok(script)
      assert.deepEqual(lintScript(script, profile), [])
    }
  })
})

describe('parsePattern', () => {
  it('matches as a regular expression does, of what it knows', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\.', '(?:a|bb)', '(a)', '(a|)')
    const piece = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
      .map((both) => both.join(''))
    const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
    const pattern = fc.array(sequence, { minLength: 1, maxLength: 3 }).map((options) => options.join('|'))
    const value = fc.stringMatching(/^[ab.1]{0,8}$/)
    fc.assert(
      fc.property(pattern, value, (text, candidate) => {
        const parsed = parsePattern(text)
        assert.equal(parsed.kind, 'pattern')
        if (parsed.kind === 'pattern')
          assert.equal(parsed.matches(candidate), new RegExp(`^(?:${text})$`, 'u').test(candidate))
      }),
      { numRuns: 3000 },
    )
  })
  it('has an answer to any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => assert.ok(['pattern', 'invalid'].includes(parsePattern(text).kind))),
    )
  })
})
