/** Who sent a request, as authentication found out. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
}

export const administrator: UserInfo = {
  username: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
}

export const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
