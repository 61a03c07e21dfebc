// What `serverless package` leaves, without a login and without a network: the promises that only the template can keep.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PackagedService } from '../../../infra/bench/package-service.ts'

const queues = ['Events', 'Install', 'Join', 'Leave', 'Probe']
const functionOf: Readonly<Record<string, string>> = { Events: 'Reconcile' }

export function describeResources(packaged: () => PackagedService): void {
  describe('resources of the packaged service', () => {
    const properties = (id: string): Readonly<Record<string, unknown>> => {
      const resource = packaged().template.Resources[id]
      assert.ok(resource, id)
      return resource.Properties
    }

    it('SQS-03: hides a message for at least six times the timeout of the function that handles it', () => {
      for (const queue of queues) {
        const { Timeout } = properties(`${functionOf[queue] ?? queue}LambdaFunction`)
        const { VisibilityTimeout } = properties(`${queue}Queue`)
        assert.ok(Number(VisibilityTimeout) >= 6 * Number(Timeout), `${queue}: ${String(VisibilityTimeout)}`)
      }
    })

    it('gives each queue a dead-letter queue of its own kind, kept for two weeks', () => {
      for (const queue of queues) {
        const { RedrivePolicy, FifoQueue } = properties(`${queue}Queue`)
        const dead = properties(`${queue}DeadLetterQueue`)
        const target = { 'Fn::GetAtt': [`${queue}DeadLetterQueue`, 'Arn'] }
        assert.deepEqual(RedrivePolicy, {
          deadLetterTargetArn: target,
          maxReceiveCount: queue === 'Events' ? 2 : 3,
        })
        assert.equal(dead['FifoQueue'], FifoQueue)
        assert.equal(dead['MessageRetentionPeriod'], 1_209_600)
      }
    })

    it('SQS-12: bounds functions at their queues, never by reserving concurrency of the account', () => {
      for (const [id, fn] of packaged().ofType('AWS::Lambda::Function')) {
        assert.equal(fn.Properties['ReservedConcurrentExecutions'], undefined, id)
      }
      const bounds = packaged()
        .ofType('AWS::Lambda::EventSourceMapping')
        .map(([, mapping]) => mapping.Properties)
      assert.equal(bounds.length, 5)
      for (const { ScalingConfig, FunctionResponseTypes } of bounds) {
        assert.match(JSON.stringify(ScalingConfig), /^\{"MaximumConcurrency":\d+\}$/)
        assert.deepEqual(FunctionResponseTypes, ['ReportBatchItemFailures'])
      }
    })

    it('keeps what it stores encrypted, and the table also from a hasty hand', () => {
      for (const [id, queue] of packaged().ofType('AWS::SQS::Queue')) {
        assert.equal(queue.Properties['SqsManagedSseEnabled'], true, id)
      }
      const table = packaged().template.Resources['StateTable']
      assert.deepEqual([table?.['DeletionPolicy'], table?.['UpdateReplacePolicy']], ['Retain', 'Retain'])
      const { DeletionProtectionEnabled, PointInTimeRecoverySpecification, SSESpecification } =
        properties('StateTable')
      assert.equal(DeletionProtectionEnabled, true)
      assert.deepEqual(PointInTimeRecoverySpecification, { PointInTimeRecoveryEnabled: true })
      assert.deepEqual(SSESpecification, { SSEEnabled: true })
    })

    it('SQS-18 SQS-19: neither EventBridge nor Lambda tries a scheduled run again', () => {
      const [target] = properties('GuardEventsRuleSchedule1')['Targets'] as [Record<string, unknown>]
      assert.deepEqual(target['RetryPolicy'], { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 })
      assert.equal(properties('GuardEventsRuleSchedule1')['ScheduleExpression'], 'rate(2 minutes)')
      const { MaximumRetryAttempts, MaximumEventAgeInSeconds } = properties('GuardLambdaEvConf')
      assert.deepEqual([MaximumRetryAttempts, MaximumEventAgeInSeconds], [0, 60])
    })

    it('DEV-04: schedules one function, once', () => {
      assert.deepEqual(
        packaged()
          .ofType('AWS::Events::Rule')
          .map(([id]) => id),
        ['GuardEventsRuleSchedule1'],
      )
      assert.deepEqual(packaged().ofType('AWS::Scheduler::Schedule'), [])
    })

    it('SQS-25: wakes somebody for old messages, dead letters, silent watchers and a failing guard', () => {
      assert.deepEqual(
        packaged()
          .ofType('AWS::CloudWatch::Alarm')
          .map(([id]) => id),
        [
          ...queues.map((queue) => `${queue}QueueAgeAlarm`),
          ...queues.map((queue) => `${queue}DeadLetterAlarm`),
          'WatcherSilentAlarm',
          'HeartbeatMissingAlarm',
          'ReconcileFailedAlarm',
          'GuardErrorsAlarm',
          'GuardSilentAlarm',
        ],
      )
      for (const [id, alarm] of packaged().ofType('AWS::CloudWatch::Alarm')) {
        assert.deepEqual(alarm.Properties['AlarmActions'], [{ Ref: 'AlarmTopic' }], id)
      }
    })

    it('takes missing data of what must always be there as an alarm', () => {
      for (const id of ['WatcherSilentAlarm', 'GuardSilentAlarm']) {
        assert.equal(properties(id)['TreatMissingData'], 'breaching')
      }
    })

    it('runs every function on Node 24 and arm64, in the network with the stable address, with logs that end', () => {
      assert.equal(packaged().ofType('AWS::Lambda::Function').length, 6)
      for (const [id, fn] of packaged().ofType('AWS::Lambda::Function')) {
        const { Runtime, Architectures, VpcConfig } = fn.Properties
        assert.deepEqual([Runtime, Architectures], ['nodejs24.x', ['arm64']], id)
        assert.deepEqual(VpcConfig, {
          SecurityGroupIds: [{ Ref: 'FunctionSecurityGroup' }],
          SubnetIds: [{ Ref: 'PrivateSubnetA' }, { Ref: 'PrivateSubnetB' }],
        })
      }
      for (const [id, group] of packaged().ofType('AWS::Logs::LogGroup')) {
        assert.equal(group.Properties['RetentionInDays'], 30, id)
      }
    })

    it('tells the address that hosts may name in from="…", which outlives the stack', () => {
      assert.deepEqual(packaged().template.Outputs['EgressAddress']?.Value, { Ref: 'EgressAddress' })
      assert.equal(packaged().template.Resources['EgressAddress']?.['DeletionPolicy'], 'Retain')
    })

    it('lets reconcile believe the other functions by the ids of their roles', () => {
      const { Variables } = properties('ReconcileLambdaFunction')['Environment'] as {
        Variables: Record<string, unknown>
      }
      const roles = ['InstallRole', 'JoinRole', 'LeaveRole', 'ProbeRole', 'GuardRole']
      const ids = roles.map((role) => ({ 'Fn::GetAtt': [role, 'RoleId'] }))
      assert.deepEqual(Variables['KPSSH_FUNCTION_SENDERS'], { 'Fn::Join': [',', ids] })
    })
  })
}
