// The SSHJoinProfile of a profile whose scripts are files: one YAML document, in which they stand byte for byte.
import { Document, isMap, isScalar, parseDocument, Scalar } from 'yaml'
import { SpecError } from '../errors/spec-error.ts'
import { scriptPhases, type ScriptPhase } from './script-phase.ts'

export type Scripts = Readonly<Partial<Record<ScriptPhase, string>>>

/** As it is handed to a cluster. */
export interface ProfileManifest extends Readonly<Record<string, unknown>> {
  readonly spec: Readonly<Record<string, unknown>> & { readonly scripts: Scripts }
}

/** What profile.yaml says, with the scripts in it. */
export function assembleManifest(
  described: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>>,
  scripts: Scripts,
): ProfileManifest {
  return { ...described, spec: { ...spec, scripts } }
}

const heading = '# Made by "kpssh profile build": change the files of the profile, not this.\n'

/**
 * For `kubectl apply`, and for people: every script is a block scalar. Throws SpecError (ScriptNotExact) where YAML cannot keep
 * one as it is: it takes a carriage return for a line end.
 */
export function manifestText(manifest: ProfileManifest): string {
  const document = new Document(manifest)
  for (const key of ['scripts', 'signatures', 'manifests']) asBlocks(document.getIn(['spec', key]))
  const text = heading + document.toString({ lineWidth: 0 })
  requireExact(text, manifest.spec.scripts)
  return text
}

function asBlocks(node: unknown): void {
  if (isScalar(node)) node.type = Scalar.BLOCK_LITERAL
  for (const { value } of isMap(node) ? node.items : []) asBlocks(value)
}

/** What YAML refuses, or takes for a line end, in one of its versions or the other. */
const unfit = /[^\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u

/** Reads it back, as a cluster would. */
function requireExact(text: string, scripts: Scripts): void {
  const document = parseDocument(text)
  for (const phase of scriptPhases) {
    const node = document.getIn(['spec', 'scripts', phase], true)
    const script = scripts[phase]
    if (script === undefined) continue
    const isBlock = isScalar(node) && node.type === 'BLOCK_LITERAL' && node.value === script
    if (isBlock && !unfit.test(script)) continue
    throw new SpecError(
      `Cannot put ${phase}.sh into a manifest byte for byte: YAML does not keep what it holds, save it as plain text with LF line ends`,
      { reason: 'ScriptNotExact', details: { phase } },
    )
  }
}
