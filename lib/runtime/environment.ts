// The one place that reads process.env.

export type Environment = Readonly<Record<string, string | undefined>>

export function readEnvironment(): Environment {
  return process.env
}
