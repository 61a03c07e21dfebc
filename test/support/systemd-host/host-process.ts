// One booted host as a process of this machine. It lives for as long as its standard input is open, so that nothing of it
// outlives the test, however that ends.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { SandboxError } from '../../../lib/errors/sandbox-error.ts'

export interface HostProcess {
  /** The host's own. */
  readonly address: string
  /** This machine's, as the host sees it. */
  readonly gateway: string
  /** What the host has said on its console, the end of it. */
  console(): string
  hasEnded(): boolean
  /** Takes its power away. Resolves when nothing is left of it. */
  close(): Promise<void>
}

export interface HostToBoot {
  readonly tree: string
  /** On this machine; `files` in it is laid over the tree. It goes with the host. */
  readonly folder: string
  /** Also of its control groups: nobody else's. */
  readonly name: string
  readonly nspawnArguments: readonly string[]
}

const runner = fileURLToPath(new URL('run-host.sh', import.meta.url))
const consoleTail = 4000

/** Resolves when the host has its network and is about to boot. Throws SandboxError. */
export async function startHostProcess(host: HostToBoot): Promise<HostProcess> {
  const { tree, folder, name, nspawnArguments } = host
  const child = spawn('bash', [runner, 'hold', tree, folder, name, ...nspawnArguments], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // An interrupt from the terminal is for the test, which then closes the host.
    detached: true,
  })
  let isOver = false
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      isOver = true
      resolve(code)
    })
  })
  let said = ''
  child.stdin.on('error', () => undefined)
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-consoleTail)))
  const read = (): string => {
    try {
      return readFileSync(join(folder, 'console'), 'utf8').slice(-consoleTail) + said
    } catch {
      return said
    }
  }
  const network = await new Promise<readonly string[] | undefined>((resolve) => {
    const lines = createInterface({ input: child.stdout })
    lines.once('line', (line) => resolve(line.split(' ')))
    lines.once('close', () => resolve(undefined))
  })
  const [, address, gateway] = network ?? []
  const close = async (): Promise<void> => {
    child.stdin.end()
    const code = await ended
    if (code === 0) return
    throw new SandboxError(
      `Cannot end host "${name}" in order: it ended before, or left something: ${said.trim()}`,
    )
  }
  if (address !== undefined && gateway !== undefined) {
    return { address, gateway, console: read, hasEnded: () => isOver, close }
  }
  child.stdin.end()
  await ended
  throw new SandboxError(`Cannot boot host "${name}": it got no network and said "${said.trim()}"`)
}
