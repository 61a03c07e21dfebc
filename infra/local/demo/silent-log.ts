import type { Log } from '../../../lib/ambient/ports.ts'

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
