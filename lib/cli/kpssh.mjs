#!/usr/bin/env node
// Starts the command with a Node that can run it, whatever Node npm or a shell found. Plain JavaScript that every Node from
// 20 on reads. From a checkout it runs the sources; a published package runs its bundle, since Node strips no types below
// node_modules.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const neededMajor = 24
const here = fileURLToPath(import.meta.url)
const project = resolve(dirname(here), '..', '..')

if (process.argv.length === 3 && process.argv[2] === '--version') sayVersion()
else if (majorOf(process.versions.node) >= neededMajor) await runHere()
else runWith(findNode())

function sayVersion() {
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  console.log(`kpssh ${version}`)
}

function majorOf(version) {
  return Number(version.split('.', 1)[0])
}

async function runHere() {
  const bundle = join(project, 'dist', 'kpssh.mjs')
  const source = join(dirname(here), 'main.ts')
  const isInstalled = here.split(sep).includes('node_modules')
  const entry = [source, bundle].find((path) => existsSync(path) && !(isInstalled && path === source))
  if (entry === undefined) fail(`its program is missing, expected ${bundle}`)
  const { main } = await import(pathToFileURL(entry).href)
  await main(process.argv.slice(2))
}

/** The Node that this project brings along: one package per platform. */
function findNode() {
  const name = `node-${process.platform}-${process.arch}`
  const local = join(project, 'node_modules', '.bin', 'node')
  if (existsSync(local)) return local
  try {
    return join(dirname(createRequire(here).resolve(`${name}/package.json`)), 'bin', 'node')
  } catch {
    return fail(
      `it needs Node ${neededMajor} and this is ${process.versions.node}, run "npm ci" in ${project} or put Node ${neededMajor} first on PATH`,
    )
  }
}

function runWith(node) {
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends its signals to both; the child decides what they mean.
  for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) =>
    fail(`${node} does not start (${error.code ?? 'unknown'}), run "npm ci" in ${project}`),
  )
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

function fail(why) {
  console.error(`kpssh: Cannot start: ${why}`)
  process.exit(78)
}
