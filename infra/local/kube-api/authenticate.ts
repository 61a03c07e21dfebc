// Who is calling: a known token, a bootstrap token from its Secret, or a client certificate that our authority signed.
import { timingSafeEqual, createHash } from 'node:crypto'
import { mapFields, recordOf, textOf, type JsonRecord } from './json.ts'
import { unauthorized } from './status-error.ts'
import type { Store } from './store.ts'
import { anonymous, type UserInfo } from './user.ts'

export interface Credentials {
  readonly authorization?: string
  /** The user of a client certificate, already verified by TLS. */
  readonly certificateUser?: UserInfo
}

export interface Authenticator {
  /** Throws 401 for credentials that are no good; no credentials at all are nobody in particular. */
  authenticate(credentials: Credentials): UserInfo
}

export function makeAuthenticator(options: {
  readonly store: Store
  readonly tokens: ReadonlyMap<string, UserInfo>
  readonly nowMs: () => number
}): Authenticator {
  return {
    authenticate({ authorization, certificateUser }) {
      if (certificateUser) return withAuthenticated(certificateUser)
      if (authorization === undefined || authorization === '') return anonymous
      const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1]
      if (token === undefined) throw unauthorized()
      const known = [...options.tokens].find(([candidate]) => isSameText(candidate, token))
      const user = known?.[1] ?? bootstrapUser(options.store, token, options.nowMs())
      if (!user) throw unauthorized()
      return withAuthenticated(user)
    },
  }
}

function withAuthenticated(user: UserInfo): UserInfo {
  return { ...user, groups: [...new Set([...user.groups, 'system:authenticated'])] }
}

function isSameText(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}

function bootstrapUser(store: Store, token: string, nowMs: number): UserInfo | undefined {
  const [, id = '', secret = ''] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? []
  const found = store.get('/secrets', 'kube-system', `bootstrap-token-${id}`)
  if (found?.['type'] !== 'bootstrap.kubernetes.io/token' || found.metadata.deletionTimestamp)
    return undefined
  const fields = mapFields(recordOf(found['data']), (value) =>
    Buffer.from(textOf(value), 'base64').toString('utf8'),
  )
  const isOurs = textOf(fields['token-id']) === id && isSameText(textOf(fields['token-secret']), secret)
  return isOurs && isUsable(fields, nowMs)
    ? { username: `system:bootstrap:${id}`, groups: ['system:bootstrappers', ...extraGroups(fields)] }
    : undefined
}

function isUsable(fields: JsonRecord, nowMs: number): boolean {
  const expiration = textOf(fields['expiration'])
  const isValid = expiration === '' || Date.parse(expiration) > nowMs
  return isValid && fields['usage-bootstrap-authentication'] === 'true'
}

function extraGroups(fields: JsonRecord): readonly string[] {
  const groups = textOf(fields['auth-extra-groups']).split(',')
  return groups.filter((group) => /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group))
}
