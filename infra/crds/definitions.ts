import type { Definition } from './definition.ts'
import { karpenterDefinitions } from './karpenter-minimal/definitions.ts'
import { kpsshDefinitions } from './kpssh-definitions.ts'

export const definitions: readonly Definition[] = [...kpsshDefinitions, ...karpenterDefinitions]
