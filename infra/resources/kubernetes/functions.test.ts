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
const Item = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('ClusterRole'), metadata: Metadata, rules: z.array(Rule) }),
  z.looseObject({ kind: z.literal('Role'), metadata: Metadata, rules: z.array(Rule) }),
  z.looseObject({
    kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
    metadata: Metadata,
    roleRef: z.looseObject({ kind: z.string(), name: z.string() }),
    subjects: z.array(z.looseObject({ kind: z.literal('Group'), name: z.string() })),
  }),
])

const text = readFileSync(join(import.meta.dirname, 'functions.yaml'), 'utf8')
const items = parseAllDocuments(text).map((document) => Item.parse(document.toJS()))
const roles = items.filter((item) => 'rules' in item)

/** What a function may do to Secrets, as `<verb> <namespace>[/<name>]`. */
function onSecrets(name: string): readonly string[] {
  return items
    .flatMap((item) =>
      'subjects' in item && item.subjects.some((one) => one.name === `kpssh:${name}`) ? [item] : [],
    )
    .flatMap(({ roleRef, metadata }) =>
      roles
        .filter(
          (role) => role.metadata.name === roleRef.name && role.metadata.namespace === metadata.namespace,
        )
        .flatMap((role) => role.rules.map((rule) => ({ ...rule, namespace: metadata.namespace }))),
    )
    .filter(({ resources }) => resources.includes('secrets'))
    .flatMap(({ verbs, namespace, resourceNames = [''] }) =>
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
    const bound = items.flatMap((item) =>
      'roleRef' in item ? [`${item.metadata.namespace ?? ''}/${item.roleRef.name}`] : [],
    )
    assert.deepEqual(bound.toSorted(), defined)
  })

  it('name what they grant: no wildcard stands for it', () => {
    for (const { metadata, rules } of roles) {
      const words = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])
      assert.ok(!words.includes('*'), metadata.name)
    }
  })
})
