// All rules, in the order in which the guide explains them: what the lifecycle asks for, secrets, what must not be done to a
// host, what makes a script converge, its bytes.
import type { Rule } from './rule.ts'
import { appends } from './rules/appends.ts'
import { canPrompt } from './rules/can-prompt.ts'
import { disablesLate } from './rules/disables-late.ts'
import { dropsRegistration } from './rules/drops-registration.ts'
import { hasTemplate } from './rules/has-template.ts'
import { joinDoesNotEnable } from './rules/join-does-not-enable.ts'
import { leaveKeepsUnit } from './rules/leave-keeps-unit.ts'
import { leaveNeedsContext } from './rules/leave-needs-context.ts'
import { leaveNeedsEnvironment } from './rules/leave-needs-environment.ts'
import { leaveRemovesInstalled } from './rules/leave-removes-installed.ts'
import { leaveUsesEnvironment } from './rules/leave-uses-environment.ts'
import { noFailFast } from './rules/no-fail-fast.ts'
import { noFinalNewline } from './rules/no-final-newline.ts'
import { reboots } from './rules/reboots.ts'
import { removesMounted } from './rules/removes-mounted.ts'
import { removesVariable } from './rules/removes-variable.ts'
import { restartsSSH } from './rules/restarts-ssh.ts'
import { scriptHasBOM } from './rules/script-has-bom.ts'
import { scriptHasCR } from './rules/script-has-cr.ts'
import { scriptTooLarge } from './rules/script-too-large.ts'
import { secretInArguments } from './rules/secret-in-arguments.ts'
import { stopsTunnel } from './rules/stops-tunnel.ts'
import { tracesSecret } from './rules/traces-secret.ts'
import { tracesToken } from './rules/traces-token.ts'
import { undeclaredVar } from './rules/undeclared-var.ts'
import { unsetVar } from './rules/unset-var.ts'

export const rules: readonly Rule[] = [
  noFailFast,
  leaveKeepsUnit,
  disablesLate,
  joinDoesNotEnable,
  leaveNeedsContext,
  leaveNeedsEnvironment,
  leaveUsesEnvironment,
  leaveRemovesInstalled,
  dropsRegistration,
  tracesSecret,
  tracesToken,
  secretInArguments,
  removesMounted,
  removesVariable,
  reboots,
  restartsSSH,
  stopsTunnel,
  canPrompt,
  appends,
  unsetVar,
  undeclaredVar,
  hasTemplate,
  scriptTooLarge,
  scriptHasCR,
  scriptHasBOM,
  noFinalNewline,
]
