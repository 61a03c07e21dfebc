export interface Machine {
  readonly nodeVersion: string
  readonly platform: string
  readonly arch: string
  readonly hasModules: boolean
  readonly hasOwnNode: boolean
}
export function problemOf(machine: Machine): string | undefined
