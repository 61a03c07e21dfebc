import { readRequestSubject } from '../certificates.ts'
import { listOf, recordOf, textOf } from '../json.ts'
import type { KindRules } from '../resource-type.ts'
import { causeInvalid, causeRequired } from '../status-error.ts'

export const certificateSigningRequestRules: KindRules = {
  prepareCreate(object, { user }) {
    const spec = recordOf(object['spec'])
    const who = {
      username: user.username,
      groups: user.groups,
      ...(user.uid !== undefined && { uid: user.uid }),
    }
    return { ...object, spec: { ...spec, ...who }, status: {} }
  },
  // What was asked stays as it was asked; the answer is in status, below its own subresources.
  prepareUpdate: (next, current) => ({ ...next, spec: recordOf(current['spec']) }),
  validate(object) {
    const spec = recordOf(object['spec'])
    const request = Buffer.from(textOf(spec['request']), 'base64').toString('utf8')
    return [
      ...(textOf(spec['signerName']) === '' ? [causeRequired('spec.signerName')] : []),
      ...(listOf(spec['usages']).length === 0 ? [causeRequired('spec.usages')] : []),
      ...(readRequestSubject(request) === undefined
        ? [causeInvalid('spec.request', 'PEM block type must be CERTIFICATE REQUEST')]
        : []),
    ]
  },
}
