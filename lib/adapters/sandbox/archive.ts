// A machine's files, but for what every machine has, as a tar archive.
import { spawn } from 'node:child_process'
import { SandboxError } from '../../errors/sandbox-error.ts'

/** `root` is the machine seen from outside. Throws SandboxError. */
export async function archive(root: string, file: string, mounts: readonly string[]): Promise<void> {
  // Read from outside, so that the archive does not become part of what it holds.
  const child = spawn('tar', archiveArguments(root, file, mounts), { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2000)))
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', resolve)
  })
  if (code === 0) return
  throw new SandboxError(`Cannot save a machine in a sandbox: ${said.trim() || String(code)}`, {
    reason: 'SandboxFailed',
  })
}

function archiveArguments(root: string, file: string, mounts: readonly string[]): readonly string[] {
  const without = ['stubs', 'packages', 'families', 'layer', 'usr/work', 'record', 'watched', 'run'].map(
    (name) => `--exclude=./.sandbox/${name}`,
  )
  return [
    ...['-C', root, '--one-file-system', '--sparse', '--xattrs', '--xattrs-include=*', '--numeric-owner'],
    ...['--sort=name', ...without, ...mounts.map((mount) => `--exclude=.${mount}/*`)],
    ...['-cf', file, '.'],
  ]
}
