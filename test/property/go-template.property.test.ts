// Whatever somebody writes into a profile, the engine ends with a text or a fault, soon and with little memory.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseTemplate, renderTemplate } from '../../lib/profile/template/template.ts'
import type { TemplateData } from '../../lib/profile/template/values.ts'

const limits = { steps: 20_000, outputBytes: 65_536, depth: 300 }
const data: TemplateData = {
  NodeName: 'pool-x7k2p',
  HostAddress: '10.0.0.11',
  Vars: { k8sMinor: '1.34', empty: '' },
  Secrets: null,
}

const piece = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{- ',
    ' -}}',
    ' ',
    '\n',
    'text',
    'é',
    '/*',
    '*/',
    '(',
    ')',
    '|',
    ',',
    ':=',
    '=',
    '.',
    '$',
    '$x',
  ],
  ...[
    '"a"',
    '"\\x',
    '`b`',
    "'c'",
    '1',
    '-',
    '1.5e9',
    '0x',
    '1+2i',
    '999999999',
    'nil',
    'true',
    '%',
    '"%*d%[1]s"',
  ],
  ...[
    'if ',
    'else',
    'end',
    'range ',
    'with ',
    'define "t"',
    'template "t" .',
    'block "b" .',
    'break',
    'continue',
  ],
  ...[
    '.NodeName',
    '.Vars',
    '.Vars.empty',
    '.Missing',
    'len ',
    'index ',
    'slice ',
    'printf ',
    'print ',
    'eq ',
    'and ',
  ],
)
const wild = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 12 }).map((pieces) => `{{${pieces.join(' ')}}}`),
)

const operand = fc.constantFrom(
  '.',
  '$',
  '.NodeName',
  '.Vars',
  '$x',
  '1',
  '"a"',
  '(len .NodeName)',
  '3',
  '1.5',
)
const command = fc.oneof(
  operand,
  fc
    .tuple(
      fc.constantFrom('print', 'printf "%v|%5d|%q"', 'len', 'index .Vars', 'html', 'js', 'eq', 'or', 'and'),
      fc.array(operand, { maxLength: 3 }),
    )
    .map(([name, operands]) => [name, ...operands].join(' ')),
)
const wellFormed = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('text', ' ', '\n'),
    command.map((text) => `{{ ${text} }}`),
    command.map((text) => `{{ $x = ${text} }}`),
    fc
      .tuple(fc.constantFrom('if', 'with', 'range', 'range $k, $v :='), command, tie('node'), tie('node'))
      .map((parts) => `{{ ${parts[0]} ${parts[1]} }}${parts[2]}{{ else }}${parts[3]}{{ end }}`),
    fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  ),
})).node

function render(template: string) {
  const parsed = parseTemplate('join', template)
  return parsed.kind === 'parsed' ? renderTemplate(parsed.tree, data, limits) : parsed
}

describe('any template', () => {
  it('ends in a text within the limits or in a fault with a message', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          wild,
          wellFormed.map((text) => `{{ $x := "v" }}${text}`),
        ),
        (template) => {
          const result = render(template)
          if (result.kind === 'rendered') {
            assert.ok(Buffer.byteLength(result.text) <= limits.outputBytes)
          } else {
            assert.notEqual(result.message, '')
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
  it('renders to itself if it has no actions', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        fc.pre(!text.includes('{{'))
        assert.deepEqual(render(text), { kind: 'rendered', text })
      }),
    )
  })
  it('gives back any text that is written as a quoted string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), (text) => {
        const quoted = [...Buffer.from(text)]
          .map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`)
          .join('')
        assert.deepEqual(render(`{{ "${quoted}" }}`), { kind: 'rendered', text })
      }),
    )
  })
  it('writes numbers that read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), fc.nat(20), (number, precision) => {
        const literal = number.toExponential()
        const exact = render(`{{ ${literal} }}`)
        assert.ok(exact.kind === 'rendered')
        assert.equal(Number(exact.text), number + 0)
        const scientific = render(`{{ printf "%.${precision}e" ${literal} }}`)
        assert.ok(scientific.kind === 'rendered')
        const expected = number.toExponential(precision)
        assert.ok(Math.abs(Number(scientific.text) - Number(expected)) <= Math.abs(number) * 10 ** -precision)
      }),
    )
  })
})
