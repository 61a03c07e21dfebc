import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redactionForms } from './redaction-forms.ts'
import { makeRedactor, redactText } from './redactor.ts'

function redact(text: string, ...secrets: string[]): string {
  return redactText(text, redactionForms(secrets))
}

describe('redactText', () => {
  it('ref 60: hides the token, its secret half and the activation code, and nothing else', () => {
    const secrets = ['abcdef.0123456789abcdef', '0123456789abcdef', 'activation-code-1']
    assert.equal(
      redact('nodeadm init abcdef.0123456789abcdef x0123456789abcdefx activation-code-1', ...secrets),
      'nodeadm init [REDACTED] x[REDACTED]x [REDACTED]',
    )
  })
  it('hides every byte that any secret covers', () => {
    assert.equal(redact('-abcdefghijkl-', 'abcdefgh', 'efghijkl'), '-[REDACTED]-')
    assert.equal(redact('-aaaaaaaaaaaa-', 'aaaaaaaa'), '-[REDACTED]-')
    assert.equal(redact('aaaaaaaabbbbbbbb', 'aaaaaaaa', 'bbbbbbbb'), '[REDACTED][REDACTED]')
  })
  it('hides the longest form first', () => {
    assert.equal(redact('secret-value-long', 'secret-value', 'secret-value-long'), '[REDACTED]')
  })
  it('hides short values only where they stand alone', () => {
    assert.equal(redact('run k8s run1 run.', 'run'), '[REDACTED] k8s run1 [REDACTED].')
    assert.equal(redact('a b=a;aa', 'a'), '[REDACTED] b=[REDACTED];aa')
  })
  it('looks for no empty value', () => {
    assert.equal(redact('text', '', ' '), 'text')
    assert.equal(redact('text'), 'text')
  })
  it('SSH-36: hides base64 at every position, in both alphabets and broken into lines', () => {
    const secret = 'pass?word>~1ÿ'
    for (const before of ['', 'a', 'ab', 'abc']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${before}${secret} and more`).toString(encoding)
        const shown = redact(encoded, secret)
        assert.match(shown, /\[REDACTED\]/)
        assert.ok(shown.length - '[REDACTED]'.length <= encoded.length - 16, shown)
      }
    }
    assert.equal(redact(Buffer.from(secret).toString('base64'), secret), '[REDACTED]')
    const long = 'x1'.repeat(100)
    const lines = Buffer.from(long).toString('base64').replace(/.{76}/g, '$&\n')
    assert.equal(redact(lines, long), '[REDACTED]\n[REDACTED]\n[REDACTED]\n[REDACTED]')
  })
  it('SSH-36: hides URL-encoded and quoted forms', () => {
    const secret = 'a b\'c"d$e%f\\g\nhé'
    for (const form of [
      encodeURIComponent(secret),
      new URLSearchParams({ v: secret }).toString().slice(2),
      'a%20b%27c%22d%24e%25f%5cg%0ah%c3%a9',
      "a b'\\''c\"d$e%f\\g\nhé",
      'a b\\\'c"d$e%f\\\\g\\nhé',
      'a b\'c\\"d\\$e%f\\\\g\nhé',
      JSON.stringify(secret).slice(1, -1),
    ]) {
      assert.equal(redact(`<${form}>`, secret), '<[REDACTED]>', form)
    }
  })
  it('SSH-36: hides what other programs make of it: Go, Python, curl, and bash in the locale C', () => {
    const secret = 'pa/ss&wörd~<1>%'
    for (const form of [
      'pa/ss\\u0026wörd~\\u003c1\\u003e%',
      'pa\\/ss&wörd~<1>%',
      'pa/ss&w\\u00f6rd~<1>%',
      'pa/ss&w\\u00F6rd~<1>%',
      'pa/ss%26w%C3%B6rd~%3C1%3E%25',
      'pa%2Fss%26w%C3%B6rd~%3C1%3E%25',
      'pa/ss&w\\303\\266rd~<1>%',
      'pa/ss\\&wörd~\\<1\\>%',
    ]) {
      assert.equal(redact(`<${form}>`, secret), '<[REDACTED]>', form)
    }
  })
  it('hides the lines of a value that has several, with or without its last newline', () => {
    const pem = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END KEY-----\n'
    assert.equal(redact(`+ MIIEvQIBADANBg\n+ kqhkiG9w0BAQ`, pem), '+ [REDACTED]\n+ [REDACTED]')
    assert.equal(redact(`<${pem.trimEnd()}>`, pem), '<[REDACTED]>')
  })
})

describe('makeRedactor', () => {
  it('holds back nothing but what may become a secret', () => {
    const redactor = makeRedactor(redactionForms(['abcdefgh', 'run']))
    const push = (text: string) => Buffer.from(redactor.push(Buffer.from(text))).toString()
    assert.equal(push('hello'), 'hello')
    assert.equal(push(' abcd'), ' ')
    assert.equal(push('efg'), '')
    assert.equal(push('h!'), '[REDACTED]!')
    assert.equal(push(' run'), ' ')
    assert.equal(push('s run'), 'runs ')
    assert.equal(push(' abc'), '[REDACTED] ')
    assert.equal(Buffer.from(redactor.flush()).toString(), 'abc')
  })
})
