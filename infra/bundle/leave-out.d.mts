import type { Plugin } from 'esbuild'

declare const leaveOut: Plugin[]
// eslint-disable-next-line no-restricted-syntax -- serverless-esbuild takes the default export
export default leaveOut
