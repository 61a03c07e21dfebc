// An SSH server in this process whose commands are run by a real bash, as whatever user the client names: what stands
// between a login and a root shell can then be put on the PATH.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { SshTarget } from '../../../lib/execution/ports.ts'
import { aScriptedSshServer } from './scripted-ssh-server.ts'

export interface BashServer {
  readonly target: SshTarget
  readonly root: string
  readonly commands: readonly string[]
}

/** `sudo` is the body of a shell script that stands for sudo; `after` runs when a command has ended. */
export async function aBashServer(
  test: TestContext,
  options: { readonly sudo?: string } = {},
): Promise<BashServer> {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-bash-'))
  const root = join(folder, 'root')
  const bin = join(folder, 'bin')
  for (const path of [join(root, 'run'), join(root, 'var/lib'), bin]) mkdirSync(path, { recursive: true })
  if (options.sudo !== undefined)
    writeFileSync(join(bin, 'sudo'), `#!/bin/bash\n${options.sudo}\n`, { mode: 0o755 })
  const env = {
    KPSSH_ROOT: root,
    PATH: options.sudo === undefined ? withoutSudo(bin) : `${bin}:/usr/bin:/bin`,
  }
  const server = await aScriptedSshServer(test, {
    onExec({ channel, command }) {
      const child = spawn('/bin/bash', ['-c', command], { env, cwd: folder })
      channel.pipe(child.stdin)
      child.stdin.on('error', () => undefined)
      child.stdout.pipe(channel, { end: false })
      child.stderr.pipe(channel.stderr, { end: false })
      child.on('close', (code) => {
        channel.exit(code ?? 255)
        channel.end()
      })
    },
  })
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return { target: { ...server.target, user: 'ops' }, root, commands: server.seen.commands }
}

/** A PATH on which there is nothing but bash. */
function withoutSudo(bin: string): string {
  writeFileSync(join(bin, 'bash'), '#!/bin/sh\nexec /bin/bash "$@"\n', { mode: 0o755 })
  return bin
}
