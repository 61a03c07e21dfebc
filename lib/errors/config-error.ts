import { ControlPlaneError } from './control-plane-error.ts'

/** Our own deployment is wrong: stop at cold start and list every problem. */
export class ConfigError extends ControlPlaneError {
  readonly code = 'CONFIG'
}
