// `serverless package` as an operator runs it, in a folder of its own so that neither a running stack nor another test
// shares its output.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'

const project = resolve(import.meta.dirname, '../..')
const copied = ['serverless.yml', 'package.json', 'tsconfig.json']
const linked = ['functions', 'lib', 'infra', 'node_modules']

const Template = z.looseObject({
  Resources: z.record(
    z.string(),
    z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
})
export type Template = z.infer<typeof Template>
export type TemplateResource = Template['Resources'][string]

export interface PackagedService {
  readonly template: Template
  /** Holds `<function>.zip`. */
  readonly artifacts: string
  /** Holds the bundles as they are in the artifacts: `functions/<name>/handler.cjs`. */
  readonly bundles: string
  /** Resources of a type, by logical id. */
  ofType(type: string): readonly (readonly [string, TemplateResource])[]
  remove(): Promise<void>
}

/** No credentials and no way to the internet are needed: the environment holds neither. */
export async function packageService(): Promise<PackagedService> {
  const service = await mkdtemp(join(tmpdir(), 'kpssh-package-'))
  for (const part of copied) await copyFile(join(project, part), join(service, part))
  for (const part of linked) await symlink(join(project, part), join(service, part))
  await promisify(execFile)(join(project, 'node_modules/.bin/serverless'), ['package'], {
    cwd: service,
    env: {
      PATH: `${join(project, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: service,
      KPSSH_KEEP_BUILD: 'true',
    },
  })
  const artifacts = join(service, '.serverless')
  const text = await readFile(join(artifacts, 'cloudformation-template-update-stack.json'), 'utf8')
  const template = Template.parse(JSON.parse(text))
  return {
    template,
    artifacts,
    bundles: join(service, '.esbuild/.build'),
    ofType: (type) => Object.entries(template.Resources).filter(([, resource]) => resource.Type === type),
    remove: () => rm(service, { recursive: true, force: true }),
  }
}
