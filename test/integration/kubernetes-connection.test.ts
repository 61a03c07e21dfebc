import assert from 'node:assert/strict'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  inClusterConnection,
  kubeconfigConnection,
  tokenConnection,
} from '../../lib/adapters/kubernetes/connection.ts'
import { namespaces } from '../../lib/kubernetes/resources.ts'
import { aClient, anApiServer } from '../support/kube-api.ts'
import { anHttpServer, plainKubeconfig } from '../support/http-server.ts'

const kubeSystem = {
  metadata: { name: 'kube-system', uid: 'u', resourceVersion: '1', creationTimestamp: 'now' },
}

/** A server that knows one token at a time, and what it was shown. */
function aTokenServer(test: Parameters<typeof anHttpServer>[0], accepted: { token: string }) {
  const shown: (string | undefined)[] = []
  const starting = anHttpServer(test, (request, response) => {
    shown.push(request.headers.authorization)
    const isKnown = request.headers.authorization === `Bearer ${accepted.token}`
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? kubeSystem : {}))
  })
  return { shown, starting }
}

async function aFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'kpssh-test-'))
}

describe('connections by kubeconfig', () => {
  it('WAT-08: reads a token file for every request, relative to the kubeconfig', async (test) => {
    const accepted = { token: 'one' }
    const { shown, starting } = aTokenServer(test, accepted)
    const { url } = await starting
    const folder = await aFolder()
    const file = join(folder, 'config')
    await writeFile(file, plainKubeconfig(url, { tokenFile: 'token' }))
    const { kubernetes } = aClient(test, kubeconfigConnection({ file }))
    for (const token of ['one', 'two', 'three']) {
      await writeFile(join(folder, 'token'), `${token}\n`)
      accepted.token = token
      assert.equal((await kubernetes.get(namespaces, 'kube-system'))?.metadata.uid, 'u')
    }
    assert.deepEqual(shown, ['Bearer one', 'Bearer two', 'Bearer three'])
  })

  it('WAT-08: asks for the text again when its credentials are refused', async (test) => {
    const accepted = { token: 'new' }
    const { shown, starting } = aTokenServer(test, accepted)
    const { url } = await starting
    const texts = [plainKubeconfig(url, { token: 'old' }), plainKubeconfig(url, { token: 'new' })]
    const { kubernetes } = aClient(
      test,
      kubeconfigConnection({ text: () => Promise.resolve(texts.shift() ?? '') }),
    )
    assert.ok(await kubernetes.get(namespaces, 'kube-system'))
    assert.ok(await kubernetes.get(namespaces, 'kube-system'))
    assert.deepEqual(shown, ['Bearer old', 'Bearer new', 'Bearer new'])
  })

  it('WAT-08: runs a credential plugin again when its token is refused', async (test) => {
    const accepted = { token: 'second' }
    const { shown, starting } = aTokenServer(test, accepted)
    const { url } = await starting
    const folder = await aFolder()
    const script = join(folder, 'plugin.sh')
    await writeFile(
      script,
      `if test -e ${folder}/ran; then token=second; else token=first; touch ${folder}/ran; fi
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$token'"}}'`,
    )
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: [script] }
    const { kubernetes } = aClient(
      test,
      kubeconfigConnection({ text: () => Promise.resolve(plainKubeconfig(url, { exec })) }),
    )
    assert.ok(await kubernetes.get(namespaces, 'kube-system'))
    assert.deepEqual(shown, ['Bearer first', 'Bearer second'])
  })

  it('says that a credential plugin failed, as something that may pass', async (test) => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'false', args: [] }
    const text = plainKubeconfig('http://127.0.0.1:1', { exec })
    const { kubernetes } = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(text) }))
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      name: 'TransientError',
      reason: 'CredentialsFailed',
    })
  })

  it('takes the context that it is told', async (test) => {
    const { api } = await anApiServer(test)
    const connection = kubeconfigConnection({ text: () => Promise.resolve(api.kubeconfig), context: 'other' })
    const { kubernetes } = aClient(test, connection)
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      name: 'ConfigError',
      message:
        'Cannot use the kubeconfig "from text": context "other" names no cluster in it, choose one of "kpssh-local"',
    })
  })

  it('says that no context is chosen where none is, and how one is', async (test) => {
    const text = 'kind: Config\nclusters: []\nusers: []\ncontexts: []\n'
    const { kubernetes } = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(text) }))
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      message:
        'Cannot use the kubeconfig "from text": no context is chosen in it and it has none, add one with kubectl config set-context',
    })
    const withContexts = text.replace('contexts: []', 'contexts: [{name: a, context: {cluster: c, user: u}}]')
    const other = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(withContexts) }))
    await assert.rejects(other.kubernetes.get(namespaces, 'kube-system'), {
      message:
        'Cannot use the kubeconfig "from text": no context is chosen in it, choose one of "a" with kubectl config use-context',
    })
  })

  const broken: readonly (readonly [string, string])[] = [
    ['that is no YAML', 'users:\n- {name: x, token: SECRET\n  oops'],
    ['that is a list', '- SECRET'],
    ['whose user has no name', 'users: [{user: {token: SECRET}}]\nclusters: []\ncontexts: []'],
  ]
  for (const [which, text] of broken) {
    it(`refuses a kubeconfig ${which}, without repeating it`, async (test) => {
      const { kubernetes } = aClient(test, kubeconfigConnection({ text: () => Promise.resolve(text) }))
      await assert.rejects(kubernetes.get(namespaces, 'kube-system'), (error: Error) => {
        assert.equal(error.name, 'ConfigError')
        assert.ok(!JSON.stringify([error.message, String(error.cause)]).includes('SECRET'))
        return true
      })
    })
  }

  it('names a kubeconfig file that is not there', async (test) => {
    const { kubernetes } = aClient(test, kubeconfigConnection({ file: '/nowhere/config' }))
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      name: 'ConfigError',
      message: 'Cannot read the kubeconfig "/nowhere/config": not readable, name an existing file',
    })
  })
})

describe('the connection of a pod', () => {
  const account = '/var/run/secrets/kubernetes.io/serviceaccount'

  function inPod(test: TestContext, environment: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(environment)) {
      const before = process.env[name]
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
      test.after(() => {
        if (before === undefined) Reflect.deleteProperty(process.env, name)
        else process.env[name] = before
      })
    }
  }

  it('WAT-08: follows its service account token, which is rotated under it', async (test) => {
    const user = (username: string) => ({ username, groups: [] })
    const tokens = new Map([
      ['one', user('before')],
      ['two', user('after')],
    ])
    const { api } = await anApiServer(test, { tokens })
    const root = await aFolder()
    await mkdir(root + account, { recursive: true })
    await writeFile(`${root}${account}/ca.crt`, api.caPem)
    await writeFile(`${root}${account}/token`, 'one')
    inPod(test, { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(api.port) })
    const { kubernetes } = aClient(test, inClusterConnection(root))
    await kubernetes.get(namespaces, 'kube-system')
    await writeFile(`${root}${account}/token`, 'two')
    await kubernetes.get(namespaces, 'kube-system')
    assert.deepEqual(
      api.requests().map(({ username }) => username),
      ['before', 'after'],
    )
  })

  it('says that there is none outside of a pod', async (test) => {
    inPod(test, { KUBERNETES_SERVICE_HOST: undefined, KUBERNETES_SERVICE_PORT: undefined })
    const { kubernetes } = aClient(test, inClusterConnection())
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      name: 'ConfigError',
      reason: 'NotInCluster',
    })
  })
})

describe('connections by tokens of ours', () => {
  it('trusts the given certificate authority and asks for another token after a refusal', async (test) => {
    const { api } = await anApiServer(test)
    const cluster = {
      name: 'c',
      endpoint: `${api.url}/`,
      certificateAuthorityBase64: Buffer.from(api.caPem).toString('base64'),
    }
    const asked: boolean[] = []
    const token = ({ renew }: { readonly renew: boolean }): Promise<string> => {
      asked.push(renew)
      return Promise.resolve(renew ? api.adminToken : 'spent')
    }
    const { kubernetes } = aClient(test, tokenConnection(cluster, token))
    assert.ok(await kubernetes.get(namespaces, 'kube-system'))
    assert.deepEqual(asked, [false, true])
  })

  it('does not talk to a server whose certificate nobody vouches for', async (test) => {
    const { api } = await anApiServer(test)
    const { api: other } = await anApiServer(test)
    const cluster = {
      name: 'c',
      endpoint: api.url,
      certificateAuthorityBase64: Buffer.from(other.caPem).toString('base64'),
    }
    const { kubernetes } = aClient(
      test,
      tokenConnection(cluster, () => Promise.resolve(api.adminToken)),
    )
    await assert.rejects(kubernetes.get(namespaces, 'kube-system'), {
      name: 'ConfigError',
      reason: 'CertificateNotTrusted',
    })
    assert.equal(api.requests().length, 0)
  })
})
