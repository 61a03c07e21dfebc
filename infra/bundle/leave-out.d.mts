import type { Plugin } from 'esbuild'

declare const leaveOut: Plugin[]
export default leaveOut
