// Bundles the watcher into one file: dist/watcher/main.cjs is all that its image holds besides Node.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import leaveOut from '../bundle/leave-out.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the path of the bundle. */
export async function buildWatcher(outfile = `${root}dist/watcher/main.cjs`): Promise<string> {
  await build({
    entryPoints: [`${root}lib/watcher/main.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // As CommonJS, node:http and the like do not load what nobody asks them for.
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: leaveOut,
  })
  return outfile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildWatcher())
