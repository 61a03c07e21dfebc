// Plugins for esbuild: what libraries bring along and no function ever runs. Reading it would cost a cold start a third of
// its time. Whoever calls a part that was left out is told so.

import { readFile } from 'node:fs/promises'

const parts = [
  {
    // @kubernetes/client-node reads our kubeconfigs; requests are our own, over node:https.
    what: 'undici',
    importer: /@kubernetes\/client-node/,
    filter: /^undici$/,
    exports: ['Agent', 'ProxyAgent', 'fetch'],
  },
  {
    what: 'the generated API clients of @kubernetes/client-node',
    importer: /@kubernetes\/client-node\/dist\/config\.js$/,
    filter: /^\.\/gen\/index\.js$/,
    exports: ['createConfiguration', 'ServerConfiguration'],
  },
  {
    // Its messages are English without them.
    what: 'the translations of zod',
    importer: /\/zod\/v4\//,
    filter: /\/locales\/index\.js$/,
    exports: [],
  },
]

function leaveOut({ what, importer, filter, exports }) {
  const refusal = `throw new Error(${JSON.stringify(`Cannot use ${what}: left out of this bundle, see infra/bundle`)})`
  return {
    name: `leave out ${what}`,
    setup(build) {
      build.onResolve({ filter }, (reference) =>
        importer.test(reference.importer) ? { path: reference.path, namespace: what } : undefined,
      )
      build.onLoad({ filter: /.*/, namespace: what }, () => ({
        contents: exports.map((name) => `export function ${name}() { ${refusal} }`).join('\n') || 'export {}',
        loader: 'js',
      }))
    },
  }
}

/** Of a namespace that is passed on, esbuild keeps everything; of one that is imported as such, what is used. */
const onlyWhatIsUsedOfZod = {
  name: 'only what is used of zod',
  setup(build) {
    build.onLoad({ filter: /\/(lib|functions)\/[^:]*\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const text = await readFile(path, 'utf8')
      return {
        contents: text.replace(/^import \{ z \} from 'zod'$/m, "import * as z from 'zod'"),
        loader: 'ts',
      }
    })
  },
}

export default [...parts.map(leaveOut), onlyWhatIsUsedOfZod]
