// From a profile and what is known of a join to what a run needs: the script, its environment, what must stay secret.
import { SpecError } from '../errors/spec-error.ts'
import { buildEnvironment } from './environment.ts'
import { contextForPhase, secretValues, toTemplateData, type JoinContext } from './join-context.ts'
import { normalizeScript } from './normalize-script.ts'
import { agentUnits, profileMarker, timeoutMs, type Profile } from './profile.ts'
import { effectiveVars, requireValidVars } from './parameters.ts'
import type { Environment } from './raw-preamble.ts'
import { seesAddressesOnly, type ScriptPhase } from './script-phase.ts'
import { parseTemplate, renderTemplate } from './template/template.ts'

export interface RenderedPhase {
  /** Without preamble. */
  readonly script: string
  readonly environment: Environment
  /** As they are; what prints must hide them and every form they may take. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  /** `<profile>@<version>`. */
  readonly marker: string
  readonly agentUnits: readonly string[]
}

/** Throws SpecError, before anything is sent to a host. */
export function renderPhase(profile: Profile, phase: ScriptPhase, context: JoinContext): RenderedPhase {
  const seen = withEffectiveVars(profile, phase, contextForPhase(phase, context))
  return { script: renderScript(profile, phase, seen), ...surroundings(profile, phase, seen) }
}

/** With the script byte for byte, for hosts that compare it with what was signed. Throws SpecError as renderPhase does. */
export function verbatimPhase(profile: Profile, phase: ScriptPhase, context: JoinContext): RenderedPhase {
  const seen = withEffectiveVars(profile, phase, contextForPhase(phase, context))
  return { script: requireScript(profile, phase), ...surroundings(profile, phase, seen) }
}

function surroundings(
  profile: Profile,
  phase: ScriptPhase,
  seen: JoinContext,
): Omit<RenderedPhase, 'script'> {
  return {
    environment: buildEnvironment(phase, seen),
    secrets: secretValues(seen),
    timeoutMs: timeoutMs(profile, phase),
    marker: profileMarker(profile),
    agentUnits: agentUnits(profile),
  }
}

/** Scripts see the defaults of the profile as if the node class had passed them. */
function withEffectiveVars(profile: Profile, phase: ScriptPhase, context: JoinContext): JoinContext {
  if (seesAddressesOnly(phase) || (profile.spec.parameters ?? []).length === 0) return context
  const vars = context.Vars ?? {}
  requireValidVars(profile, vars)
  return { ...context, Vars: effectiveVars(profile, vars) }
}

function requireScript({ metadata, spec }: Profile, phase: ScriptPhase): string {
  const script = spec.scripts[phase]
  if (script) return script
  throw new SpecError(
    `Cannot run ${phase} of profile "${metadata.name}": it has no such script, add scripts.${phase}`,
    { reason: 'ScriptMissing', details: { phase } },
  )
}

function renderScript(profile: Profile, phase: ScriptPhase, context: JoinContext): string {
  const { name } = profile.metadata
  const script = requireScript(profile, phase)
  const parsed = parseTemplate(phase, normalizeScript(script).text)
  const outcome = parsed.kind === 'parsed' ? renderTemplate(parsed.tree, toTemplateData(context)) : parsed
  if (outcome.kind === 'rendered') return outcome.text
  throw new SpecError(
    `Cannot render ${phase} of profile "${name}": line ${outcome.line}, ${outcome.message}, correct the script or the context`,
    {
      reason: outcome.kind === 'unparsable' ? 'TemplateUnparsable' : 'TemplateFailed',
      details: { phase, line: outcome.line },
    },
  )
}
