import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UsageError } from './command.ts'
import { parseLogin } from './ssh-options.ts'

describe('parseLogin', () => {
  const logins: readonly (readonly [string, string, string, number])[] = [
    ['root@192.0.2.7', 'root', '192.0.2.7', 22],
    ['ops@192.0.2.7:2222', 'ops', '192.0.2.7', 2222],
    ['ops@host-a.example:22', 'ops', 'host-a.example', 22],
    ['root@[fd00::1]:2222', 'root', 'fd00::1', 2222],
    ['root@[fd00::1]', 'root', 'fd00::1', 22],
    ['root@fd00::1', 'root', 'fd00::1', 22],
    ['root@::1', 'root', '::1', 22],
    ['root@[::ffff:10.0.0.1]:22', 'root', '::ffff:10.0.0.1', 22],
  ]
  for (const [text, user, address, port] of logins) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parseLogin(text), { user, address, port })
    })
  }
  for (const text of [
    ...[
      '',
      'host',
      '@host',
      'root@',
      'root@host:',
      'root@host:x',
      'root@host:0',
      'root@host:65536',
      'root@[fd00::1',
    ],
    `root@${':'.repeat(20_000)}x`,
    ...['root@[host]:22', 'a b@host', 'root@ho st', 'root@host:22:33x', 'root@a@b'],
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(() => parseLogin(text), UsageError)
    })
  }
})
