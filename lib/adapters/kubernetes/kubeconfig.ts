// Reads a kubeconfig with @kubernetes/client-node. What kubectl does and it does not is added: `tokenFile` of a user.
// A parser's own words are never repeated: they quote the line, and a kubeconfig is full of secrets.
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node/dist/config.js'
import { z } from 'zod'
import { ConfigError } from '../../errors/config-error.ts'

export type KubeconfigSource =
  /** Relative paths in it are relative to its folder. */
  | { readonly file: string; readonly context?: string | undefined }
  /** Asked for again when the server refuses its credentials. */
  | { readonly text: () => Promise<string>; readonly context?: string | undefined }

export async function loadKubeconfig(source: KubeconfigSource): Promise<KubeConfig> {
  const name = 'file' in source ? source.file : 'from text'
  const text = 'file' in source ? await readKubeconfig(source.file) : await source.text()
  const config = parseKubeconfig(text, name)
  if ('file' in source) config.makePathsAbsolute(dirname(source.file))
  if (source.context !== undefined) config.setCurrentContext(source.context)
  if (config.getCurrentCluster() === null) {
    throw kubeconfigError(name, noCluster(config))
  }
  await useTokenFile(config, text, 'file' in source ? dirname(source.file) : '')
  return config
}

async function readKubeconfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`Cannot read the kubeconfig "${path}": not readable, name an existing file`, {
      reason: 'KubeconfigInvalid',
      cause,
    })
  }
}

function parseKubeconfig(text: string, name: string): KubeConfig {
  const config = new KubeConfig()
  try {
    config.loadFromString(text)
    return config
  } catch {
    throw kubeconfigError(name, 'not the YAML of a kubeconfig, see kubectl config view')
  }
}

function noCluster(config: KubeConfig): string {
  const chosen = config.getCurrentContext() ?? ''
  const names = config.getContexts().map((context) => `"${context.name}"`)
  const choice = names.join(', ')
  if (chosen !== '') return `context "${chosen}" names no cluster in it, choose one of ${choice || 'none'}`
  return names.length > 0
    ? `no context is chosen in it, choose one of ${choice} with kubectl config use-context`
    : 'no context is chosen in it and it has none, add one with kubectl config set-context'
}

function kubeconfigError(name: string, problem: string): ConfigError {
  return new ConfigError(`Cannot use the kubeconfig "${name}": ${problem}`, { reason: 'KubeconfigInvalid' })
}

const UsersWithTokenFile = z.object({
  users: z
    .array(z.object({ name: z.string(), user: z.object({ tokenFile: z.string().optional() }).nullish() }))
    .nullish(),
})

async function useTokenFile(config: KubeConfig, text: string, folder: string): Promise<void> {
  // Only who has a kubeconfig needs to load a parser for it.
  const { parse } = await import('yaml')
  const user = config.getCurrentUser()
  const parsed = UsersWithTokenFile.safeParse(parse(text))
  const tokenFile = parsed.data?.users?.find(({ name }) => name === user?.name)?.user?.tokenFile
  if (user === null || tokenFile === undefined) return
  const path = isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile)
  config.users = config.users.map((other) =>
    other.name === user.name
      ? { ...other, authProvider: { name: 'tokenFile', config: { tokenFile: path } } }
      : other,
  )
}
