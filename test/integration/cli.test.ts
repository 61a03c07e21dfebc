import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { build } from 'esbuild'
import { kpssh, launcher } from '../support/run-kpssh.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kpssh-cli-'))
})
after(() => rm(folder, { recursive: true }))

/** Makes a Node say that it is an older one. */
async function pretending(version: string): Promise<readonly string[]> {
  const path = join(folder, `pretend-${version}.cjs`)
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })\n`
  await writeFile(path, code)
  return ['--require', path]
}

describe('kpssh', () => {
  it('helps, and tells what it does not understand with exit code 64', async () => {
    const help = await kpssh(['--help'])
    assert.equal(help.code, 0)
    assert.match(help.stdout, /profile lint/)
    assert.equal(help.stderr, '')
    const unknown = await kpssh(['host', 'relase', 'x'])
    assert.deepEqual(unknown, {
      code: 64,
      stdout: '',
      stderr:
        'kpssh: Cannot run "host relase": it is unknown, use one of list, show, release, repin, adopt, prepare, check (kpssh host --help lists them)\n',
    })
  })
  it('says which version it is, without a newer Node', async () => {
    const { version } = JSON.parse(
      await readFile(join(launcher, '..', '..', '..', 'package.json'), 'utf8'),
    ) as {
      version: string
    }
    const nodeOptions = await pretending('20.11.0')
    assert.deepEqual(await kpssh(['--version'], { nodeOptions }), {
      code: 0,
      stdout: `kpssh ${version}\n`,
      stderr: '',
    })
  })
  it("hands over to the project's Node where it was started by an older one", async () => {
    const help = await kpssh(['host', '--help'], { nodeOptions: await pretending('20.11.0') })
    assert.equal(help.code, 0, help.stderr)
    assert.match(help.stdout, /Usage: kpssh host VERB/)
    assert.equal((await kpssh(['nonsense'], { nodeOptions: await pretending('20.11.0') })).code, 64)
  })
  it('says what is missing where there is no such Node', async () => {
    const copy = join(folder, 'alone', 'lib', 'cli')
    await mkdir(copy, { recursive: true })
    await copyFile(launcher, join(copy, 'kpssh.mjs'))
    const nodeOptions = await pretending('20.11.0')
    const { code, stderr } = await kpssh(['--help'], { nodeOptions, launcher: join(copy, 'kpssh.mjs') })
    assert.equal(code, 78)
    assert.match(
      stderr,
      /needs Node 24 and this is 20\.11\.0, run "npm ci" in .*alone or put Node 24 first on PATH/,
    )
  })
  it('runs its bundle where it is installed as a package', async () => {
    const packageFolder = join(folder, 'node_modules', 'kpssh')
    await mkdir(join(packageFolder, 'lib', 'cli'), { recursive: true })
    await copyFile(launcher, join(packageFolder, 'lib', 'cli', 'kpssh.mjs'))
    await build({
      entryPoints: [join(launcher, '..', 'main.ts')],
      outfile: join(packageFolder, 'dist', 'kpssh.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      external: ['ssh2'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
      },
      logLevel: 'error',
    })
    await symlink(
      join(launcher, '..', '..', '..', 'node_modules', 'ssh2'),
      join(folder, 'node_modules', 'ssh2'),
    )
    const help = await kpssh(['profile', '--help'], {
      launcher: join(packageFolder, 'lib', 'cli', 'kpssh.mjs'),
    })
    assert.equal(help.code, 0, help.stderr)
    assert.match(help.stdout, /profile render/)
  })
  it('reads profiles from the folder it is started in', async () => {
    await writeFile(
      join(folder, 'p.json'),
      JSON.stringify({
        apiVersion: 'karpenter.dklesev.github.io/v1beta1',
        kind: 'SSHJoinProfile',
        metadata: { name: 'p' },
        spec: {
          scripts: { install: 'set -euo pipefail', join: 'echo {{ .Nowhere', leave: 'set -euo pipefail' },
        },
      }),
    )
    const { code, stdout } = await kpssh(['profile', 'lint', 'p.json'], { cwd: folder })
    assert.equal(code, 65)
    assert.match(stdout, /^p\.json:1: error: the template does not parse.* \(TemplateUnparsable\)$/m)
  })
})
