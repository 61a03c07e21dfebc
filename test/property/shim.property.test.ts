// The shim and this program read the same things alike: patterns, manifests and secrets. Its parts, given to a real bash.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { redactionPatterns } from '../../lib/execution/redaction-patterns.ts'
import { parseManifest, writeManifest } from '../../lib/profile/manifest/manifest.ts'
import { parsePortablePattern } from '../../lib/profile/manifest/portable-pattern.ts'
import { shellQuote } from '../../lib/profile/shell-quote.ts'

const parts = ['manifest', 'parameters', 'redaction'].map((name) =>
  readFileSync(new URL(`../../infra/host/parts/${name}.sh`, import.meta.url), 'utf8'),
)
const head = `LC_ALL=C\nquit() { printf 'quit %s %s\\n' "$1" "$2"; exit "$1"; }\n${parts.join('\n')}`

/** Answers of bash, split at NUL bytes. */
function ask(lines: readonly string[]): readonly string[] {
  const { stdout, stderr, status } = spawnSync('bash', ['-s'], {
    input: `${head}\n${lines.join('\n')}\n`,
    maxBuffer: 64 * 1024 * 1024,
  })
  assert.deepEqual({ status, stderr: stderr.toString() }, { status: 0, stderr: '' })
  return stdout.toString().split('\0').slice(0, -1)
}

const patternText = fc.array(
  fc.constantFrom(
    ...[
      'a',
      'b',
      '7',
      '-',
      '.',
      '[',
      ']',
      '^',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{1,3}',
      '{0,}',
      '{3,1}',
    ],
    ...['{300}', '$', '\\', '\\.', '\\d', '\\1', '\\<', '\\b', '[a-c]', '[^a]', '[-a]', '[c-a]', '[:alpha:]'],
    ...[
      '[[:alpha:]]',
      '[a^]',
      '[--]',
      '[a-]',
      ' ',
      '"',
      "'",
      '`',
      '<',
      '}',
      'é',
      '(a|b)',
      '(?:a)',
      '(a*)*',
      '(a?|b)',
      '(a?b*)',
      '(a|b+){2}',
      '{0}',
      '{0,2}',
    ],
  ),
  { minLength: 1, maxLength: 7 },
)
const value = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '7', '-', '.', ' ', 'é', '\t', '^', '"'),
  maxLength: 6,
})

describe('a pattern of a manifest', () => {
  it('is portable to the shim exactly where it is to this program, and matches the same values', () => {
    const texts = fc.array(fc.tuple(patternText, fc.array(value, { minLength: 1, maxLength: 4 })), {
      minLength: 30,
      maxLength: 60,
    })
    fc.assert(
      fc.property(texts, (cases) => {
        const all = cases.map(([pieces, values]) => ({ text: pieces.join(''), values }))
        const said = ask(
          all.map(({ text, values }) => {
            const tests = values.map(
              (each) => `matches_whole ${shellQuote(each)} ${shellQuote(text)} && printf 1 || printf 0`,
            )
            return `is_portable ${shellQuote(text)} && { printf p; ${tests.join('; ')}; }; printf '\\0'`
          }),
        )
        const expected = all.map(({ text, values }) => {
          const parsed = parsePortablePattern(text)
          return parsed.kind === 'invalid'
            ? ''
            : `p${values.map((each) => Number(parsed.matches(each))).join('')}`
        })
        assert.deepEqual(said, expected, JSON.stringify(all))
      }),
      { numRuns: 25 },
    )
  })
})

const manifest = {
  profile: 'tls-bootstrap',
  version: '3',
  phase: 'join',
  scriptSha256: 'a'.repeat(64),
  serial: 7,
  notBeforeMs: Date.parse('2026-11-01T00:00:00Z'),
  notAfterMs: Date.parse('2026-12-01T00:00:00Z'),
  params: [
    { name: 'KPSSH_NODE_NAME', pattern: '[a-z0-9.-]{1,253}' },
    { name: 'KPSSH_SECRET_A', pattern: '[ -~]*' },
  ],
} as const

function readByShim(texts: readonly string[]): readonly string[] {
  return ask(texts.map((text) => `(parse_manifest ${shellQuote(text)}) && printf ok; printf '\\0'`)).map(
    (said) => (said === 'ok' ? 'manifest' : 'malformed'),
  )
}

describe('a manifest', () => {
  const whole = writeManifest(manifest)

  it('is read by the shim as this program writes it', () => {
    assert.deepEqual(
      ask([
        `parse_manifest ${shellQuote(whole)}`,
        'printf "%s\\0" "$kp_manifest_profile" "$kp_manifest_version" "$kp_manifest_phase" "$kp_manifest_digest"',
        'printf "%s\\0" "$kp_manifest_serial" "$kp_not_before" "$kp_not_after" "${!kp_patterns[*]}" "${kp_patterns[KPSSH_NODE_NAME]}"',
      ]),
      [
        'tls-bootstrap',
        '3',
        'join',
        'a'.repeat(64),
        '7',
        '2026-11-01T00:00:00Z',
        '2026-12-01T00:00:00Z',
        'KPSSH_SECRET_A KPSSH_NODE_NAME',
        '[a-z0-9.-]{1,253}',
      ],
    )
  })

  it('is malformed to both wherever a line is left out, repeated, moved or changed in one byte', () => {
    const lines = whole.split('\n').slice(0, -1)
    const join = (all: readonly string[]) => `${all.join('\n')}\n`
    const texts = [
      ...lines.map((_, at) => join(lines.toSpliced(at, 1))),
      ...lines.map((line, at) => join(lines.toSpliced(at, 0, line))),
      ...lines.slice(1).map((line, at) => join([...lines.toSpliced(at + 1, 1), line])),
      ...['\r', ' ', '\t', '\0', 'é', 'x', '\n'].flatMap((mark) =>
        lines.map((line, at) => join(lines.toSpliced(at, 1, line + mark))),
      ),
      ...whole.split(/(?:)/u).map((_, at) => whole.slice(0, at) + whole.slice(at + 1)),
      ...[
        '',
        '\n',
        whole.slice(0, -1),
        `\ufeff${whole}`,
        whole.replaceAll('\n', '\r\n'),
        `${whole}\n`,
        `${whole}param: PATH .*\n`,
      ],
      whole.replace('serial: 7', 'serial: 07'),
      whole.replace('serial: 7', 'serial: 0'),
      whole.replace('serial: 7', 'serial: -1'),
      whole.replace('serial: 7', 'serial: 9007199254740992'),
      whole.replace('serial: 7', 'serial: 9007199254740991'),
      whole.replace('2026-11-01', '2026-13-01'),
      whole.replace('join', 'reboot'),
    ].filter((text) => !text.includes('\0'))
    assert.deepEqual(
      readByShim(texts),
      texts.map((text) => parseManifest(text).kind),
    )
  })
})

/** What the shim would hide, in the order in which it would. */
function hiddenByShim(parameters: Readonly<Record<string, string>>): { anywhere: string[]; words: string[] } {
  const assignments = Object.entries(parameters).map(
    ([name, text]) => `kp_parameters[${name}]=${shellQuote(text)}`,
  )
  const said = ask([
    'declare -A kp_parameters=()',
    ...assignments,
    'eval "$(write_redaction)"',
    `((\${#kp_secrets[@]} == 0)) || printf 'a%s\\0' "\${kp_secrets[@]}"`,
    `((\${#kp_words[@]} == 0)) || printf 'w%s\\0' "\${kp_words[@]}"`,
    `for line in "\${kp_secrets[@]}" "\${kp_words[@]}"; do may_hold_secret || printf 'missed%s\\0' "$line"; done`,
  ])
  const of = (letter: string) => said.filter((text) => text.startsWith(letter)).map((text) => text.slice(1))
  assert.deepEqual(of('missed'), [])
  return { anywhere: of('a'), words: of('w') }
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort()
}

describe('secrets', () => {
  const awkward = fc.string({
    unit: fc.constantFrom(
      ...'ab1_ \\\'"`$&*?[]{}()!~#%/|^.<>-+@=;,:\t\r\u001b\u0007\u007f\u0085é☃😀\u2028'.split(/(?:)/u),
    ),
    minLength: 1,
    maxLength: 20,
  })
  const text = fc
    .oneof(awkward, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }))
    .filter((each) => !/[\n\0]/.test(each) && each.trim() !== '')

  it('SSH-36: are hidden by the shim in every form that this program knows, longest first', () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const shown = hiddenByShim({
          KPSSH_SECRET_A: first,
          KPSSH_SECRET_B: second,
          KPSSH_NODE_NAME: 'node-name-1',
        })
        const expected = redactionPatterns([first, second])
        assert.deepEqual(sorted(shown.anywhere), sorted(expected.anywhere))
        assert.deepEqual(sorted(shown.words), sorted(expected.words))
        const lengths = shown.anywhere.map(({ length }) => length)
        assert.deepEqual(
          lengths,
          [...lengths].sort((a, b) => b - a),
        )
      }),
      { numRuns: 30 },
    )
  })

  it('SSH-36: are the bootstrap token, its secret half, and what KPSSH_SECRET_ names; nothing else', () => {
    const token = 'abcdef.0123456789abcdef'
    const shown = hiddenByShim({
      KPSSH_BOOTSTRAP_TOKEN: token,
      KPSSH_VAR_x: 'not-a-secret-at-all',
      KPSSH_SECRET_E: '',
    })
    assert.deepEqual(sorted(shown.anywhere), sorted(redactionPatterns([token, '0123456789abcdef']).anywhere))
    assert.deepEqual(hiddenByShim({ KPSSH_BOOTSTRAP_TOKEN: '' }), { anywhere: [], words: [] })
  })
})
