// The few lines of bash that the fake host understands. They mean the same to a real bash with a systemctl, so that one
// contract suite can run against the fake and the real thing.
export type ScriptStep =
  | { readonly kind: 'print'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'wait'; readonly durationMs: number }
  | { readonly kind: 'agent'; readonly isEnabled: boolean }
  | { readonly kind: 'reboot' }
  | { readonly kind: 'exit'; readonly code: number }

const ignored = /^(#.*|set .*|)$/

/** Throws for a line it does not know: a test that means more than the fake can do must not pass by accident. */
export function parseHostScript(
  script: string,
  environment: Readonly<Record<string, string>>,
): readonly ScriptStep[] {
  return script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !ignored.test(line))
    .map((line) => parseLine(line, environment))
}

function parseLine(line: string, environment: Readonly<Record<string, string>>): ScriptStep {
  const [, seconds] = /^sleep (\d+)$/.exec(line) ?? []
  if (seconds !== undefined) return { kind: 'wait', durationMs: Number(seconds) * 1000 }
  const [, code] = /^exit (\d+)$/.exec(line) ?? []
  if (code !== undefined) return { kind: 'exit', code: Number(code) }
  const [, verb] = /^systemctl (enable|disable) --now \S+$/.exec(line) ?? []
  if (verb !== undefined) return { kind: 'agent', isEnabled: verb === 'enable' }
  if (line === 'reboot') return { kind: 'reboot' }
  const [, text, toStderr] = /^echo "([^"]*)"( >&2)?$/.exec(line) ?? []
  if (text !== undefined) {
    return {
      kind: 'print',
      stream: toStderr === undefined ? 'stdout' : 'stderr',
      text: expand(text, environment),
    }
  }
  throw new Error(
    `Cannot run "${line}" on a fake host: it knows echo "…", sleep, exit, reboot and systemctl enable|disable --now`,
  )
}

function expand(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{?([A-Z_a-z0-9]+)\}?/g, (_, name: string) => environment[name] ?? '')
}
