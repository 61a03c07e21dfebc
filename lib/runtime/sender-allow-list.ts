// Who may speak for a cluster. SQS tells the sender's id with every record and nobody can forge it: `AROA…:session` for a
// role, `AIDA…` for a user. Local emulators know no identities: there the list is `*`.

export type SenderAllowList = Readonly<Record<string, readonly string[]>>

export function maySpeakFor(cluster: string, senderID: string, allowed: SenderAllowList): boolean {
  const entries = Object.hasOwn(allowed, cluster) ? allowed[cluster] : undefined
  const [principal] = senderID.split(':')
  return (
    entries?.some(
      (entry) => entry === '*' || (entry !== '' && (entry === senderID || entry === principal)),
    ) ?? false
  )
}
