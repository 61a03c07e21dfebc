import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

const Rule = z.strictObject({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
})
const Metadata = z.strictObject({ name: z.string(), namespace: z.string().optional() })
const Role = z.object({ kind: z.enum(['ClusterRole', 'Role']), metadata: Metadata, rules: z.array(Rule) })
const Binding = z.object({
  kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
  metadata: Metadata,
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.literal('Group'), name: z.string() })),
})

const text = readFileSync(join(import.meta.dirname, 'functions.yaml'), 'utf8')
const items = parseAllDocuments(text).map((document) => {
  const item: unknown = document.toJS()
  return item
})
const roles = items.flatMap((item) => Role.safeParse(item).data ?? [])
const bindings = items.flatMap((item) => Binding.safeParse(item).data ?? [])

/** What a function may do to Secrets, as `<verb> <namespace>[/<name>]`. */
function onSecrets(name: string): readonly string[] {
  return bindings
    .filter(({ subjects }) => subjects.some((one) => one.name === `kpssh:${name}`))
    .flatMap(({ roleRef, metadata: { namespace } }) =>
      roles
        .filter(({ metadata }) => metadata.name === roleRef.name && metadata.namespace === namespace)
        .flatMap(({ rules }) => rules.map((rule) => ({ ...rule, namespace }))),
    )
    .filter(({ resources }) => resources.includes('secrets'))
    .flatMap(({ verbs, namespace = 'everywhere', resourceNames = [''] }) =>
      verbs.flatMap((verb) =>
        resourceNames.map((one) => `${verb} ${namespace}${one === '' ? '' : `/${one}`}`),
      ),
    )
    .toSorted()
}

describe("the functions' Kubernetes identities", () => {
  it('give join secrets to install and join only, tokens to join, and a list of Secrets to nobody', () => {
    const names = ['reconcile', 'install', 'join', 'leave', 'probe', 'guard']
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, onSecrets(name)])), {
      reconcile: [],
      install: ['get kpssh-system'],
      join: ['create kube-system', 'delete kube-system', 'get kpssh-system'],
      leave: ['delete kube-system', 'get kpssh-system/ssh-key'],
      probe: ['get kpssh-system/ssh-key'],
      guard: ['delete kube-system'],
    })
  })

  it('bind every role that there is, and no other', () => {
    const defined = roles.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).toSorted()
    const bound = bindings.map(({ metadata, roleRef }) => `${metadata.namespace ?? ''}/${roleRef.name}`)
    assert.equal(roles.length + bindings.length, items.length)
    assert.deepEqual(bound.toSorted(), defined)
  })

  it('name what they grant: no wildcard stands for it', () => {
    for (const { metadata, rules } of roles) {
      const words = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])
      assert.ok(!words.includes('*'), metadata.name)
    }
  })
})
