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

type Meaning = (words: readonly string[], environment: Readonly<Record<string, string>>) => ScriptStep

const meanings: readonly (readonly [RegExp, Meaning])[] = [
  [/^sleep (\d+)$/, ([seconds]) => ({ kind: 'wait', durationMs: Number(seconds) * 1000 })],
  [/^exit (\d+)$/, ([code]) => ({ kind: 'exit', code: Number(code) })],
  [/^systemctl (enable|disable) --now \S+$/, ([verb]) => ({ kind: 'agent', isEnabled: verb === 'enable' })],
  [/^reboot$/, () => ({ kind: 'reboot' })],
  [
    /^echo "([^"]*)"( >&2)?$/,
    ([text = '', toStderr], environment) => ({
      kind: 'print',
      stream: toStderr === undefined ? 'stdout' : 'stderr',
      text: expand(text, environment),
    }),
  ],
]

function parseLine(line: string, environment: Readonly<Record<string, string>>): ScriptStep {
  for (const [pattern, meaning] of meanings) {
    const match = pattern.exec(line)
    if (match !== null) return meaning(match.slice(1), environment)
  }
  throw new Error(
    `Cannot run "${line}" on a fake host: it knows echo "…", sleep, exit, reboot and systemctl enable|disable --now`,
  )
}

function expand(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{?([A-Z_a-z0-9]+)\}?/g, (_, name: string) => environment[name] ?? '')
}
