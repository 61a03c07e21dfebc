import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { parseTemplate, renderTemplate } from './template.ts'
import type { TemplateData } from './values.ts'

const Context = z.record(z.string(), z.union([z.string(), z.null(), z.record(z.string(), z.string())]))
const vectors = z
  .object({
    contexts: z.record(z.string(), Context),
    cases: z.array(
      z.object({
        name: z.string(),
        template: z.string(),
        context: z.string(),
        output: z.string().optional(),
        fails: z.enum(['parse', 'exec']).optional(),
      }),
    ),
  })
  .parse(
    JSON.parse(readFileSync(new URL('../../../test/fixtures/go-template.json', import.meta.url), 'utf8')),
  )

function outcome(template: string, data: TemplateData): { output: string } | { fails: 'parse' | 'exec' } {
  const parsed = parseTemplate('join', template)
  if (parsed.kind === 'unparsable') return { fails: 'parse' }
  const rendered = renderTemplate(parsed.tree, data)
  return rendered.kind === 'failed' ? { fails: 'exec' } : { output: rendered.text }
}

function message(template: string, data: TemplateData = {}): string {
  const parsed = parseTemplate('join', template)
  const result = parsed.kind === 'parsed' ? renderTemplate(parsed.tree, data) : parsed
  assert.ok('message' in result)
  return `${result.line}: ${result.message}`
}

describe('the template language, as Go renders it', () => {
  for (const { name, template, context, output, fails } of vectors.cases) {
    it(`${name} ${JSON.stringify(template)}`, () => {
      assert.deepEqual(
        outcome(template, vectors.contexts[context]!),
        fails === undefined ? { output } : { fails },
      )
    })
  }
})

describe('what the recorded cases leave out (checked against Go itself)', () => {
  const full = vectors.contexts['full']!
  const rendered: readonly (readonly [string, string])[] = [
    ['{{ len "é€" }}', '5'],
    ['{{ index "abc" 1 }}', '98'],
    ['{{ slice "héllo" 0 3 }}', 'hé'],
    ['{{ print 1 2 "a" 3 4 }}', '1 2a3 4'],
    ['{{ println 1 "a" true }}', '1 a true\n'],
    [
      '{{ print . }}',
      '&{https://10.0.0.1:6443 Q0E= abcdef.0123456789abcdef pool-x7k2p kpssh://kpssh-system/host-a a=b,c=d karpenter.sh/unregistered:NoExecute 10.0.0.11 10.0.0.12 map[clusterDNS:10.96.0.10 empty: html:<a&b> k8sMinor:1.34 num:42 quoted:a "b" \'c\'] map[dash-key:v1 token:s3cr3t]}',
    ],
    ['{{ html "x" . 1 | len }}', '297'],
    ['{{ printf "%#v" .Secrets }}', 'map[string]string{"dash-key":"v1", "token":"s3cr3t"}'],
    [
      '{{ printf "%d" .Secrets }}',
      'map[%!d(string=dash-key):%!d(string=v1) %!d(string=token):%!d(string=s3cr3t)]',
    ],
    [
      '{{ printf "%6.2f|%-8s|%+d|%x|%X|%o|%b" 3.14159 "ab" 5 "hi" 255 8 5 }}',
      '  3.14|ab      |+5|6869|FF|10|101',
    ],
    ['{{ printf "%[2]s %[1]s" "a" "b" }}', 'b a'],
    ['{{ printf "%*d|%-*d|" 5 42 5 42 }}', '   42|42   |'],
    ['{{ printf "%s" 1 2 }}', '%!s(int=1)%!(EXTRA int=2)'],
    ['{{ printf "%!" }}', '%!!(MISSING)'],
    ['{{ printf "%q %q %+q %#q" "a\\tb" 120 "é" "raw" }}', '"a\\tb" \'x\' "\\u00e9" `raw`'],
    ['{{ printf "%c|%U|%#U" 8364 8364 8364 }}', "€|U+20AC|U+20AC '€'"],
    ['{{ printf "%e %g %G %.3g" 1234.5678 1e21 1e-7 1234.5678 }}', '1.234568e+03 1e+21 1E-07 1.23e+03'],
    ['{{ printf "%.0f %.0f %.1f" 0.5 1.5 0.25 }}', '0 2 0.2'],
    ['{{ printf "%t %v %v" true nil 1.5 }}', 'true <nil> 1.5'],
    ['{{ 1e20 }} {{ 100000.0 }} {{ 1234567.891 }} {{ 0.00001 }}', '1e+20 100000 1.234567891e+06 1e-05'],
    ['{{ 1+2i }} {{ 0i }}', '(1+2i) (0+0i)'],
    ["{{ 'a' }} {{ '\\n' }} {{ '\\u20ac' }}", '97 10 8364'],
    ['{{ 017 }} {{ 0b101 }} {{ 0o17 }} {{ 0x_1F }} {{ 0x1p4 }}', '15 5 15 31 16'],
    ['{{ and nil }} {{ print (and nil) }}', '<no value> <nil>'],
    [
      '{{ eq nil nil }} {{ eq 1 nil }} {{ ne 1 2 }} {{ le "a" "b" }} {{ eq 97 (index "a" 0) }}',
      'true false true true true',
    ],
    ['{{ or "" 0 "x" .Missing }}', 'x'],
    ['{{ and 1 "" .Missing }}', ''],
    ['{{ js "<&=\'\\"\\n>é" }}', '\\u003C\\u0026\\u003D\\\'\\"\\u000A\\u003Eé'],
    ['{{ urlquery "a b&c/é" }}', 'a+b%26c%2F%C3%A9'],
    ['{{ html "\\x00\'" }}', '\ufffd&#39;'],
    ['{{ "\\101\\x41\\u0041\\U00000041" }}', 'AAAA'],
    ['{{ `a\r\nb` }}', 'a\nb'],
    ['{{ (.Vars).num }}{{ (index .Vars "num") | printf "%s%s" "n" }}', '42n42'],
    ['{{ $x := .Vars }}{{ $x.num }}', '42'],
    ['{{ range $k, $v := .Secrets }}{{ $k = "z" }}{{ $k }}{{ end }}', 'zz'],
    ['{{ $v := 1 }}{{ range $v = 3 }}{{ end }}{{ $v }}', '2'],
    ['{{ range 0 }}x{{ else }}none{{ end }}', 'none'],
    ['{{ with .Vars.empty }}a{{ else with .Vars.num }}{{ . }}{{ end }}', '42'],
    ['{{ if false }}a{{ else if true }}b{{ else }}c{{ end }}', 'b'],
    ['{{ define "join" }}inner{{ end }}  ', 'inner'],
    ['{{ define "a" }}{{ $ }}{{ end }}{{ template "a" }}', '<no value>'],
    ['{{ template "a" 1 }}{{ define "a" }}{{ define "b" }}{{ end }}', 'PARSE'],
    ['a\n{{- /* c */ -}}\nb', 'ab'],
    ['{{ .NodeName | }}', 'pool-x7k2p'],
  ]
  for (const [template, expected] of rendered) {
    it(JSON.stringify(template), () => {
      assert.deepEqual(
        outcome(template, full),
        expected === 'PARSE' ? { fails: 'parse' } : { output: expected },
      )
    })
  }

  const failing: readonly (readonly [string, 'parse' | 'exec'])[] = [
    ['{{ slice "é" 0 1 }}', 'exec'],
    ['{{ index "abc" 3 }}', 'exec'],
    ['{{ index .Vars 1 }}', 'exec'],
    ['{{ .Vars 1 }}', 'exec'],
    ['{{ "a" 1 }}', 'exec'],
    ['{{ lt true false }}', 'exec'],
    ['{{ eq .Vars .Vars }}', 'exec'],
    ['{{ not }}', 'exec'],
    ['{{ printf 3 }}', 'exec'],
    ['{{ printf nil }}', 'exec'],
    ['{{ template "nowhere" }}', 'exec'],
    ['{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}', 'exec'],
    ['{{ $x = 1 }}', 'exec'],
    ['{{ 18446744073709551615 }}', 'exec'],
    ['{{ range $i, $e := 3 }}{{ end }}', 'exec'],
    ['{{ 18446744073709551616 }}', 'parse'],
    ['{{ 1e400 }}', 'parse'],
    ['{{ 089 }}', 'parse'],
    ["{{ 'ab' }}", 'parse'],
    ['{{ "\\q" }}', 'parse'],
    ['{{ "\\ud800" }}', 'parse'],
    ['{{ nosuch 1 }}', 'parse'],
    ['{{ $x }}', 'parse'],
    ['{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}', 'parse'],
    ['{{ $a, $b := .Vars }}', 'parse'],
    ['{{ range $a, 1 }}{{ end }}', 'parse'],
    ['{{ 1 | 2 }}', 'parse'],
    ['{{ nil.Foo }}', 'parse'],
    ['{{ }}', 'parse'],
    ['{{ () }}', 'parse'],
    ['{{ (.NodeName }}', 'parse'],
    ['{{ .NodeName) }}', 'parse'],
    ['{{ "a""b" }}', 'parse'],
    ['{{ else }}', 'parse'],
    ['{{ if true }}{{ else }}{{ else }}{{ end }}', 'parse'],
    ['{{ range .Vars }}{{ else }}{{ break }}{{ end }}', 'parse'],
    ['{{ range .Vars }}{{ else if true }}{{ end }}', 'parse'],
    ['{{ if true }}{{ define "a" }}{{ end }}{{ end }}', 'parse'],
    ['{{ define "a" }}1{{ end }}{{ define "a" }}2{{ end }}', 'parse'],
    ['{{ define a }}{{ end }}', 'parse'],
    ['{{ template a }}', 'parse'],
    ['{{/* c', 'parse'],
    ['{{/* c */ x}}', 'parse'],
    ['{{ "a\nb" }}', 'parse'],
    ['{{ : }}', 'parse'],
    ['{{ . € }}', 'parse'],
  ]
  for (const [template, fails] of failing) {
    it(`${JSON.stringify(template)} fails to ${fails}`, () => {
      assert.deepEqual(outcome(template, full), { fails })
    })
  }
})

describe('messages', () => {
  it('name the line of the fault', () => {
    assert.equal(message('a\nb\n{{ end }}'), '3: unexpected {{end}}')
    assert.equal(message('a\n\n{{ .Vars.x }}', { Vars: {} }), '3: the map has no entry for key "x"')
    assert.equal(
      message('{{\n\n.Missing }}'),
      '3: there is no field Missing in a value of type *profile.Context',
    )
  })
  it('never hold a value of the context', () => {
    const data = { Secrets: { a: 's3cr3t-value' } }
    for (const template of [
      '{{ range .Secrets.a }}{{ end }}',
      '{{ .Secrets.a.b }}',
      '{{ index .Secrets.a "x" }}',
      '{{ call .Secrets.a }}',
      '{{ slice .Secrets.a 99 }}',
      '{{ eq 1 .Secrets.a }}',
      '{{ printf "%s" .Secrets.a | len 1 }}',
    ]) {
      assert.doesNotMatch(message(template, data), /s3cr3t/)
    }
  })
})

describe('limits', () => {
  it('ends a rendering that takes too many steps', () => {
    assert.equal(message('{{ range 2000000000 }}{{ end }}'), '1: takes more than 1000000 steps')
  })
  it('counts what functions look at as work', () => {
    assert.equal(
      message('{{ $x := printf "%500000d" 1 }}{{ range 900000 }}{{ $y := eq $x $x }}{{ end }}'),
      '1: takes more than 1000000 steps',
    )
  })
  it('ends a rendering that writes too much', () => {
    assert.equal(message('{{ range 900000 }}abc{{ end }}'), '1: writes more than 1048576 bytes')
  })
  it('ends a rendering whose strings grow too long', () => {
    assert.equal(
      message('{{ $x := "0123456789" }}{{ range 64 }}{{ $x = print $x $x }}{{ end }}'),
      '1: makes more than 1048576 bytes',
    )
    assert.equal(message('{{ printf "%1000000d%1000000d" 1 2 }}'), '1: makes more than 1048576 bytes')
  })
  it('refuses nesting that nobody writes by hand', () => {
    assert.equal(message(`{{ ${'('.repeat(200)}1${')'.repeat(200)} }}`), '1: nested deeper than 100 levels')
    assert.equal(message('{{ if 1 }}'.repeat(200)), '1: nested deeper than 100 levels')
  })
})
