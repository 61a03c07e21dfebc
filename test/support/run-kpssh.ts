// The real program, started as a person would: through its launcher, in a folder, with an environment.
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const launcher = fileURLToPath(new URL('../../lib/cli/kpssh.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningKpssh {
  readonly child: ChildProcess
  /** Resolves once stderr or stdout has said this. */
  said(text: string): Promise<void>
  readonly ended: Promise<Ended>
}

export interface KpsshOptions {
  readonly cwd?: string
  /** Words for Node itself, before the launcher. */
  readonly nodeOptions?: readonly string[]
  readonly launcher?: string
}

export function startKpssh(words: readonly string[], options: KpsshOptions = {}): RunningKpssh {
  const args = [...(options.nodeOptions ?? []), options.launcher ?? launcher, ...words]
  const child = spawn(process.execPath, args, { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    tell()
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
    tell()
  })
  return {
    child,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text) || stderr.includes(text)) resolve()
        }
        listeners.add(look)
        child.once('close', () =>
          reject(new Error(`kpssh ended without saying "${text}": ${stdout}${stderr}`)),
        )
        look()
      }),
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
  }
}

export function kpssh(words: readonly string[], options: KpsshOptions = {}): Promise<Ended> {
  return startKpssh(words, options).ended
}
