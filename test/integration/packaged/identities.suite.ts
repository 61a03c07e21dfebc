// What each identity may do on AWS, as `serverless package` leaves it, against a table written by hand. A new grant is a
// line here first.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import type { PackagedService, TemplateResource } from '../../../infra/bench/package-service.ts'

const Statement = z.strictObject({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.array(z.string()),
  Resource: z.array(z.unknown()),
  Condition: z.unknown().optional(),
})
const Document = z.looseObject({ Statement: z.array(Statement) })

const receive = (queue: string): string[] =>
  ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map((action) => `sqs:${action} ${queue}.Arn`)
const send = (...queues: readonly string[]): string[] => queues.map((queue) => `sqs:SendMessage ${queue}.Arn`)
const logs = (group: string): string[] => [
  `logs:CreateLogStream ${group}.Arn`,
  `logs:PutLogEvents ${group}.Arn`,
]
const kubeconfigs = (name: string): string[] => [
  `secretsmanager:GetSecretValue arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:kpssh/dev/${name}/*`,
]
const onTable = (...actions: readonly string[]): string[] =>
  actions.map((action) => `dynamodb:${action} StateTable.Arn`)

const ownGrants: Readonly<Record<string, readonly string[]>> = {
  ReconcileRole: [
    ...onTable('DeleteItem', 'GetItem', 'PutItem', 'Query'),
    ...logs('ReconcileLogGroup'),
    ...kubeconfigs('reconcile'),
    ...receive('EventsQueue'),
    ...send('EventsDeadLetterQueue', 'InstallQueue', 'JoinQueue', 'LeaveQueue', 'ProbeQueue'),
  ],
  InstallRole: [
    ...onTable('GetItem', 'PutItem'),
    ...logs('InstallLogGroup'),
    ...kubeconfigs('install'),
    ...receive('InstallQueue'),
    ...send('EventsQueue', 'InstallDeadLetterQueue', 'InstallQueue', 'JoinQueue', 'LeaveQueue'),
  ],
  JoinRole: [
    ...onTable('GetItem', 'PutItem'),
    ...logs('JoinLogGroup'),
    ...kubeconfigs('join'),
    ...receive('JoinQueue'),
    ...send('EventsQueue', 'InstallQueue', 'JoinDeadLetterQueue', 'JoinQueue', 'LeaveQueue'),
  ],
  LeaveRole: [
    ...onTable('GetItem', 'PutItem'),
    ...logs('LeaveLogGroup'),
    ...kubeconfigs('leave'),
    ...receive('LeaveQueue'),
    ...send('EventsQueue', 'LeaveDeadLetterQueue', 'LeaveQueue'),
  ],
  ProbeRole: [
    ...onTable('GetItem', 'PutItem'),
    ...logs('ProbeLogGroup'),
    ...kubeconfigs('probe'),
    ...receive('ProbeQueue'),
    ...send('EventsQueue', 'LeaveQueue', 'ProbeDeadLetterQueue', 'ProbeQueue'),
  ],
  GuardRole: [
    ...onTable('GetItem', 'PutItem', 'Query'),
    ...logs('GuardLogGroup'),
    ...kubeconfigs('guard'),
    ...send('InstallQueue', 'JoinQueue', 'LeaveQueue', 'ProbeQueue'),
  ],
  WatcherRole: [],
}

const sharedGrants: Readonly<Record<string, readonly string[]>> = {
  WatcherPolicy: send('EventsQueue'),
  NetworkPolicy: [
    'ec2:AssignPrivateIpAddresses *',
    'ec2:CreateNetworkInterface *',
    'ec2:DeleteNetworkInterface *',
    'ec2:DescribeNetworkInterfaces *',
    'ec2:DescribeSubnets *',
    'ec2:UnassignPrivateIpAddresses *',
  ],
}

function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource
  const { 'Fn::GetAtt': attribute, 'Fn::Sub': text } = z
    .object({ 'Fn::GetAtt': z.array(z.string()).optional(), 'Fn::Sub': z.string().optional() })
    .parse(resource)
  return attribute?.join('.') ?? text ?? assert.fail(`no name for ${JSON.stringify(resource)}`)
}

function grantsOf(documents: readonly unknown[], effect: 'Allow' | 'Deny' = 'Allow'): readonly string[] {
  return documents
    .flatMap((document) => Document.parse(document).Statement)
    .filter(({ Effect }) => Effect === effect)
    .flatMap(({ Action, Resource }) =>
      Action.flatMap((action) => Resource.map((one) => `${action} ${nameOf(one)}`)),
    )
    .toSorted()
}

function inlineDocuments(role: TemplateResource): readonly unknown[] {
  const Policies = z.array(z.looseObject({ PolicyDocument: z.unknown() })).default([])
  return Policies.parse(role.Properties['Policies']).map(({ PolicyDocument }) => PolicyDocument)
}

export function describeIdentities(packaged: () => PackagedService): void {
  describe('identities of the packaged service', () => {
    it('grants each role what the table says and nothing else', () => {
      const actual = packaged()
        .ofType('AWS::IAM::Role')
        .map(([id, role]) => [id, grantsOf(inlineDocuments(role))])
      assert.deepEqual(
        Object.fromEntries(actual),
        Object.fromEntries(Object.entries(ownGrants).map(([id, grants]) => [id, grants.toSorted()])),
      )
    })

    it('shares only what the network and what watchers need', () => {
      const policies = packaged().ofType('AWS::IAM::ManagedPolicy')
      const actual = policies.map(([id, policy]) => [id, grantsOf([policy.Properties['PolicyDocument']])])
      assert.deepEqual(
        Object.fromEntries(actual),
        Object.fromEntries(Object.entries(sharedGrants).map(([id, grants]) => [id, grants.toSorted()])),
      )
    })

    it('denies the code of a function what Lambda itself needs to place it into a network', () => {
      const policy = packaged().template.Resources['NetworkPolicy']?.Properties['PolicyDocument']
      assert.deepEqual(grantsOf([policy], 'Deny'), sharedGrants['NetworkPolicy'])
    })

    it('attaches to each role the shared policies of its kind', () => {
      for (const [id, role] of packaged().ofType('AWS::IAM::Role')) {
        const attached = id === 'WatcherRole' ? ['WatcherPolicy'] : ['NetworkPolicy']
        assert.deepEqual(
          role.Properties['ManagedPolicyArns'],
          attached.map((Ref) => ({ Ref })),
          id,
        )
      }
    })

    it('gives no two functions the same role, and no function a default one', () => {
      const roles = packaged()
        .ofType('AWS::Lambda::Function')
        .map(([id, fn]) => [id, nameOf(fn.Properties['Role'])])
      assert.deepEqual(Object.fromEntries(roles), {
        ReconcileLambdaFunction: 'ReconcileRole.Arn',
        InstallLambdaFunction: 'InstallRole.Arn',
        JoinLambdaFunction: 'JoinRole.Arn',
        LeaveLambdaFunction: 'LeaveRole.Arn',
        ProbeLambdaFunction: 'ProbeRole.Arn',
        GuardLambdaFunction: 'GuardRole.Arn',
      })
    })

    it('lets a watcher user do what a watcher role may', () => {
      const [[, user]] = packaged().ofType('AWS::IAM::User') as [[string, TemplateResource]]
      assert.deepEqual(user.Properties, { ManagedPolicyArns: [{ Ref: 'WatcherPolicy' }] })
    })
  })
}
