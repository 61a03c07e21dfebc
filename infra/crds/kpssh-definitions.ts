import { kpsshGroup, kpsshVersion, labels } from '../../lib/api/names.ts'
import { SSHHostSpec, SSHHostStatus } from '../../lib/api/ssh-host.ts'
import { SSHJoinProfileSpec } from '../../lib/api/ssh-join-profile.ts'
import { SSHNodeClassSpec, SSHNodeClassStatus } from '../../lib/api/ssh-node-class.ts'
import { ageColumn, readyColumn, type Definition } from './definition.ts'

const ours = { group: kpsshGroup, version: kpsshVersion }

const sshHost: Definition = {
  ...ours,
  file: 'sshhosts.yaml',
  kind: 'SSHHost',
  plural: 'sshhosts',
  singular: 'sshhost',
  shortNames: ['sshh'],
  scope: 'Namespaced',
  description: 'A machine, reachable over SSH alone, that can become a node.',
  columns: [
    { name: 'Address', type: 'string', jsonPath: '.spec.address' },
    {
      name: 'Class',
      type: 'string',
      jsonPath: `.metadata.labels.${labels.hostClass.replaceAll('.', '\\.')}`,
    },
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    readyColumn,
    { name: 'Claim', type: 'string', jsonPath: '.status.claimRef.name' },
    { name: 'Installed', type: 'string', jsonPath: '.status.installedProfile' },
    ageColumn,
  ],
  spec: SSHHostSpec,
  status: SSHHostStatus,
}

const sshNodeClass: Definition = {
  ...ours,
  file: 'sshnodeclasses.yaml',
  kind: 'SSHNodeClass',
  plural: 'sshnodeclasses',
  singular: 'sshnodeclass',
  shortNames: ['snc'],
  scope: 'Cluster',
  description: 'Which hosts a NodePool may use, and how they join.',
  columns: [
    { name: 'Profile', type: 'string', jsonPath: '.spec.joinProfileRef.name' },
    readyColumn,
    ageColumn,
  ],
  spec: SSHNodeClassSpec,
  status: SSHNodeClassStatus,
}

const sshJoinProfile: Definition = {
  ...ours,
  file: 'sshjoinprofiles.yaml',
  kind: 'SSHJoinProfile',
  plural: 'sshjoinprofiles',
  singular: 'sshjoinprofile',
  shortNames: ['sjp'],
  scope: 'Cluster',
  description: 'How a host becomes a node: scripts, their timeouts and their version.',
  columns: [{ name: 'Version', type: 'string', jsonPath: '.spec.version' }, ageColumn],
  spec: SSHJoinProfileSpec,
}

export const kpsshDefinitions: readonly Definition[] = [sshHost, sshNodeClass, sshJoinProfile]
