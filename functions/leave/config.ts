export { Settings as Config } from '../settings.ts'
