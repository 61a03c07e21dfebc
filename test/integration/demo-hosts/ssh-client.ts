import ssh2 from 'ssh2'
import type { DemoHost } from '../../../infra/local/demo-hosts/demo-host.ts'
import type { DemoHosts } from '../../../infra/local/demo-hosts/start-demo-hosts.ts'

export interface SshResult {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** One command over SSH, with `input` on its standard input. */
export function sshRun(
  { privateKey }: Pick<DemoHosts, 'privateKey'>,
  { address, port, user }: Pick<DemoHost, 'address' | 'port' | 'user'>,
  { command, input = '' }: { readonly command: string; readonly input?: string },
): Promise<SshResult> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client()
    client.on('error', reject)
    client.on('ready', () => {
      client.exec(command, (error, channel) => {
        if (error) {
          reject(error)
          return
        }
        const result = { stdout: '', stderr: '' }
        let exitCode: number | undefined
        channel.setEncoding('utf8').on('data', (text: string) => (result.stdout += text))
        channel.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text))
        channel.on('exit', (code: number | null) => (exitCode = code ?? undefined))
        channel.on('close', () => {
          client.end()
          resolve({ exitCode, ...result })
        })
        channel.end(input)
      })
    })
    client.connect({ host: address, port, username: user, privateKey })
  })
}
