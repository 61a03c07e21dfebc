// dynalite brings no types.
declare module 'dynalite' {
  import type { Server } from 'node:http'
  export interface DynaliteOptions {
    /** Folder of the LevelDB store; in memory without it. */
    readonly path?: string
    readonly createTableMs?: number
    readonly deleteTableMs?: number
    readonly updateTableMs?: number
  }
  // eslint-disable-next-line no-restricted-syntax -- as the package exports it
  export default function dynalite(options?: DynaliteOptions): Server
}
