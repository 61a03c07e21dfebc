import { readEnvironment } from '../../lib/runtime/environment.ts'
import { readConfig } from '../../lib/runtime/read-config.ts'
import type { SqsLambda } from '../../lib/runtime/sqs-handler.ts'
import { composePhase } from '../compose-phase.ts'
import { Config } from './config.ts'

export function compose(): SqsLambda {
  return composePhase('join', readConfig(Config, readEnvironment()))
}
