import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { WatcherConfig } from '../../lib/watcher/config.ts'
import { nodeEnvironment, nodeFlags } from './process-settings.ts'

const Rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
})
const Role = z.object({ kind: z.enum(['ClusterRole', 'Role']), rules: z.array(Rule) })
const Deployment = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })) })]),
      }),
    }),
  }),
})

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8')
}

describe('the manifests of the watcher', () => {
  it('let it list and watch exactly what it tells of, and write nothing', () => {
    const rules = parseAllDocuments(read('rbac.yaml'))
      .flatMap((document) => Role.safeParse(parse(String(document))).data ?? [])
      .flatMap(({ rules: each }) => each)
    const allowed = rules.flatMap(({ resources, verbs }) =>
      resources.map((name) => `${name}: ${verbs.join(' ')}`),
    )
    assert.deepEqual(allowed.sort(), [
      'daemonsets: list watch',
      'leases: list watch',
      'namespaces: get',
      'nodeclaims: list watch',
      'nodepools: list watch',
      'nodes: list watch',
      'poddisruptionbudgets: list watch',
      'pods: list watch',
      'sshhosts: list watch',
      'sshjoinprofiles: list watch',
      'sshnodeclasses: list watch',
    ])
  })

  it('give it an environment that it accepts', () => {
    const { containers } = Deployment.parse(parse(read('deployment.yaml'))).spec.template.spec
    const environment = Object.fromEntries(containers[0].env.map(({ name, value }) => [name, value]))
    assert.equal(WatcherConfig.safeParse(environment).success, true)
  })

  it('run Node in the image as it was measured', () => {
    const dockerfile = read('Dockerfile')
    for (const flag of nodeFlags) assert.ok(dockerfile.includes(`"${flag}"`), flag)
    for (const [name, value] of Object.entries(nodeEnvironment))
      assert.ok(dockerfile.includes(`${name}=${value}`), name)
  })
})
