// The shim is one file: its own parts, and the same program that is sent to other hosts with every contact.

export const shimPartNames = [
  'start',
  'common',
  'envelope',
  'version-1',
  'manifest',
  'parameters',
  'redaction',
  'signed-run',
  'main',
] as const

/** Of lib/execution/host-program: what answers a contact. */
export const programNames = ['common', 'launch', 'watch', 'probe', 'adopt'] as const
/** What keeps a run once its connection has ended, in the order in which it is sent to other hosts. */
export const supervisorNames = ['processes', 'supervise', 'output'] as const

export interface ShimSources {
  /** By name, without .sh. */
  readonly parts: ReadonlyMap<string, string>
  readonly programs: ReadonlyMap<string, string>
}

export function renderShim({ parts, programs }: ShimSources): string {
  const [start = '', common = '', ...rest] = shimPartNames.map((name) => textOf(parts, name))
  return [
    start,
    common,
    ...programNames.map((name) => textOf(programs, name)),
    supervisorOf(programs),
    ...rest,
  ].join('\n')
}

/**
 * As text: it is kept beside a run, since the shim may be replaced while the run goes on. Not as a here-document, for which
 * some shells need room on a disk.
 */
function supervisorOf(programs: ReadonlyMap<string, string>): string {
  const text = supervisorNames.map((name) => textOf(programs, name)).join('\n')
  return `# shellcheck disable=SC2016 # text for another shell\nkp_supervisor='${text.replaceAll("'", "'\\''")}'\n`
}

function textOf(sources: ReadonlyMap<string, string>, name: string): string {
  const text = sources.get(name)
  if (text === undefined) throw new TypeError(`Cannot render the shim: its part "${name}" is missing`)
  return text
}
