import assert from 'node:assert/strict'
import { isIP as isNodeIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isIP, isNetwork, isSameIP } from './ip-address.ts'

describe('isIP', () => {
  for (const text of [
    '10.0.0.1',
    'fd00::1',
    '::1',
    '::',
    '2001:db8::8a2e:370:7334',
    '1:2:3:4:5:6:7:8',
    '64:ff9b::1.2.3.4',
  ]) {
    it(`ref 160: accepts ${text}`, () => assert.equal(isIP(text), true))
  }
  for (const text of [
    'host.example.com',
    'abc',
    'cafe.beef',
    '999.999.999.999',
    ':::::',
    '1.2.3.4.5',
    '',
    '01.2.3.4',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7::8:9',
    '1::2::3',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '1.2.3.4::',
  ]) {
    it(`ref 160: refuses ${JSON.stringify(text)}`, () => assert.equal(isIP(text), false))
  }

  it('agrees with Node about IPv6 that carries no zone and no IPv4', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        fc.pre(!/^(0{0,4}:)*:?(0{1,4}:)*ffff:/i.test(text))
        assert.equal(isIP(text), isNodeIP(text) === 6)
      }),
    )
  })
})

describe('isSameIP', () => {
  it('sees through spelling', () => {
    assert.equal(isSameIP('fd00::1', 'FD00:0:0:0:0:0:0:0001'), true)
    assert.equal(isSameIP('10.0.0.1', '10.0.0.1'), true)
    assert.equal(isSameIP('10.0.0.1', '::ffff:10.0.0.1'), false)
    assert.equal(isSameIP('a.example', 'a.example'), false)
  })
})

describe('isNetwork', () => {
  for (const text of ['192.0.2.0/24', '192.0.2.7/32', '0.0.0.0/0', '2001:db8::/32', '::1/128']) {
    it(`takes ${text}`, () => assert.equal(isNetwork(text), true))
  }
  for (const text of [
    '192.0.2.7/24',
    '192.0.2.0/33',
    '192.0.2.0/024',
    '192.0.2.0/',
    '192.0.2.0',
    '2001:db8::1/32',
    'a.example/24',
    '10.0.0.0/8/8',
  ]) {
    it(`refuses ${text}`, () => assert.equal(isNetwork(text), false))
  }
})
