import { compose } from './compose.ts'

export const handler = compose()
