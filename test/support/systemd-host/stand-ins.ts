// The programs that are stood in for on test hosts, as a folder that becomes /usr/lib/stand-in there: shell scripts under
// their real names, bundles for what is written in TypeScript, and a place for the Node that runs those.
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const own = fileURLToPath(new URL('stand-ins', import.meta.url))
const kubelet = fileURLToPath(new URL('../../../infra/local/demo-hosts/kubelet/main.ts', import.meta.url))

export const standInNames = ['kubelet', 'kubeadm', 'nodeadm', 'k3s'] as const
export type StandIn = (typeof standInNames)[number]

/** Where the stand-ins are on a host. */
export const standInFolder = '/usr/lib/stand-in'

export async function makeStandIns(folder: string): Promise<void> {
  await build({
    entryPoints: {
      kubelet,
      ...Object.fromEntries(['kubeadm', 'nodeadm', 'k3s'].map((name) => [name, join(own, `${name}.ts`)])),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    // Packages that are CommonJS ask for Node's modules by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  for (const name of standInNames) cpSync(join(own, name), join(folder, name))
  writeFileSync(join(folder, 'node'), '')
}
