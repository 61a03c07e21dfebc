import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { JoinContext } from '../../lib/profile/join-context.ts'
import { foreignReferences } from '../../lib/profile/leave-references.ts'
import { lintProfile } from '../../lib/profile/lint-profile.ts'
import { parseTemplate, renderTemplate } from '../../lib/profile/template/template.ts'

const full = JoinContext.parse({
  ClusterEndpoint: 'https://10.0.0.1:6443',
  BootstrapToken: 'abcdef.0123456789abcdef',
  NodeName: 'pool-x7k2p',
  HostAddress: '10.0.0.11',
  NodeAddress: '10.0.0.12',
  Vars: { a: '1', b: '2' },
  Secrets: { c: '3' },
})
const bare = JoinContext.parse({ HostAddress: '10.0.0.11', NodeAddress: '10.0.0.12' })

const operand = fc.constantFrom(
  ...[
    '.',
    '$',
    '$x',
    '.HostAddress',
    '.NodeAddress',
    '$.HostAddress',
    '.Vars',
    '$.NodeName',
    '"a"',
    '1',
    '(.)',
  ],
  ...['(.).HostAddress', '($x).NodeAddress', '.HostAddress.Foo', '(print .HostAddress)', '$x.Vars'],
)
const pipeline = fc.oneof(
  { weight: 3, arbitrary: operand },
  fc
    .tuple(
      fc.constantFrom('print', 'len', 'or', 'and', 'eq', 'printf "%v"'),
      fc.array(operand, { maxLength: 2 }),
    )
    .map(([name, operands]) => [name, ...operands].join(' ')),
)
const template = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant('text'),
    pipeline.map((text) => `{{ ${text} }}`),
    fc.tuple(fc.constantFrom(':=', '='), pipeline).map(([sign, text]) => `{{ $x ${sign} ${text} }}`),
    pipeline.map((text) => `{{ template "t" ${text} }}`),
    fc
      .tuple(fc.constantFrom('if', 'with', 'range', 'with $x :=', 'block "b"'), pipeline, tie('node'))
      .map(([keyword, text, body]) => `{{ ${keyword} ${text} }}${body}{{ end }}`),
    fc.array(tie('node'), { maxLength: 3 }).map((nodes) => nodes.join('')),
  ),
})).node

describe('a leave that refers to nothing foreign', () => {
  it('renders the same whatever else is known', () => {
    let accepted = 0
    fc.assert(
      fc.property(template, template, (body, defined) => {
        const parsed = parseTemplate(
          'leave',
          `{{ $x := 1 }}{{ define "t" }}{{ $x := 1 }}${defined}{{ end }}${body}`,
        )
        if (parsed.kind === 'unparsable' || foreignReferences(parsed.tree).length > 0) return
        accepted += 1
        assert.deepEqual(renderTemplate(parsed.tree, full), renderTemplate(parsed.tree, bare))
      }),
      { numRuns: 4000 },
    )
    assert.ok(accepted > 100, 'the property was hardly tested')
  })
})

describe('lintProfile', () => {
  it('has an answer to any script', () => {
    const script = fc.oneof(fc.string({ unit: 'binary' }), template)
    fc.assert(
      fc.property(fc.record({ install: script, join: script, leave: script }), (scripts) => {
        for (const problem of lintProfile({ metadata: { name: 'p' }, spec: { scripts } })) {
          assert.notEqual(problem.message, '')
        }
      }),
    )
  })
})
