import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolveIntrinsics } from './intrinsics.ts'

const resources = {
  JoinQueue: { ref: 'http://127.0.0.1:1/0/join', attributes: { Arn: 'arn:aws:sqs:eu-central-1:0:join' } },
}
const resolve = (value: unknown): unknown => resolveIntrinsics(value, resources)

describe('resolveIntrinsics', () => {
  it('resolves references and attributes wherever they stand', () => {
    assert.deepEqual(
      resolve({
        url: { Ref: 'JoinQueue' },
        list: [{ 'Fn::GetAtt': ['JoinQueue', 'Arn'] }],
        plain: 'text',
        number: 3,
      }),
      {
        url: 'http://127.0.0.1:1/0/join',
        list: ['arn:aws:sqs:eu-central-1:0:join'],
        plain: 'text',
        number: 3,
      },
    )
  })

  it('joins what it resolved', () => {
    assert.equal(resolve({ 'Fn::Join': [',', ['a', { Ref: 'JoinQueue' }]] }), 'a,http://127.0.0.1:1/0/join')
  })

  it('names what it cannot resolve', () => {
    assert.throws(() => resolve({ 'Fn::GetAtt': ['JoinRole', 'RoleId'] }), /"JoinRole"/)
    assert.throws(() => resolve({ 'Fn::GetAtt': ['JoinQueue', 'QueueName'] }), /"JoinQueue.QueueName"/)
    assert.throws(() => resolve({ 'Fn::Sub': '${JoinQueue}' }), /"Fn::Sub"/)
  })
})
