import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

const Role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  rules: z.array(
    z.object({
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
      resourceNames: z.array(z.string()).optional(),
    }),
  ),
})
const Binding = z.object({
  metadata: z.object({ namespace: z.string().optional() }),
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ name: z.string() })),
})

const text = readFileSync(join(import.meta.dirname, 'functions.yaml'), 'utf8')
const items = parseAllDocuments(text).map((document) => {
  const item: unknown = document.toJS()
  return item
})
const roles = items.flatMap((item) => Role.safeParse(item).data ?? [])
const bindings = items.flatMap((item) => Binding.safeParse(item).data ?? [])

/** Everything a function may do: `<resource>: <verbs>`, with `in <namespace>` and `/<name>` where it is no more than that. */
function grantsOf(name: string): readonly string[] {
  return bindings
    .filter(({ subjects }) => subjects.some((subject) => subject.name === `kpssh:${name}`))
    .flatMap(({ metadata: { namespace }, roleRef }) => {
      const place = namespace === undefined ? '' : ` in ${namespace}`
      const role = roles.find(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name)
      assert.ok(role !== undefined, roleRef.name)
      return role.rules.flatMap(({ resources, verbs, resourceNames = [] }) =>
        resources.map(
          (resource) => `${[resource, ...resourceNames].join('/')}${place}: ${verbs.toSorted().join(' ')}`,
        ),
      )
    })
    .toSorted()
}

describe('what each function may do in a cluster', () => {
  it('is this and nothing more', () => {
    const names = ['reconcile', 'install', 'join', 'leave', 'probe', 'guard']
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, grantsOf(name)])), {
      reconcile: [
        'events: create',
        'nodeclaims/status: patch',
        'nodeclaims: create delete get list patch',
        'nodepools/status: patch',
        'nodepools: get list patch',
        'nodes: delete get list patch',
        'pods/eviction: create',
        'pods: delete get list',
        'sshhosts/status: patch',
        'sshhosts: get list patch',
        'sshjoinprofiles: get list',
        'sshnodeclasses/status: patch',
        'sshnodeclasses: get list patch',
      ],
      install: [
        'configmaps/cluster-info in kube-public: get',
        'nodeclaims: get',
        'secrets in kpssh-system: get',
        'sshhosts: get',
        'sshjoinprofiles: get',
        'sshnodeclasses: get',
      ],
      join: [
        'configmaps/cluster-info in kube-public: get',
        'nodeclaims: get',
        'nodes: get',
        'secrets in kpssh-system: get',
        'secrets in kube-system: create delete',
        'sshhosts: get',
        'sshjoinprofiles: get',
        'sshnodeclasses: get',
      ],
      leave: [
        'nodes: delete list patch',
        'secrets in kube-system: delete',
        'secrets/ssh-key in kpssh-system: get',
        'sshjoinprofiles: get',
      ],
      probe: ['secrets/ssh-key in kpssh-system: get'],
      guard: ['nodeclaims: get list', 'nodes: list', 'secrets in kube-system: delete'],
    })
  })
})
