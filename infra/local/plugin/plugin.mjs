// What serverless.yml names: a constructor, as Serverless plugins are. The work is in plugin.ts.
import { makeLocalStackHooks } from './plugin.ts'

export default function LocalStackPlugin(serverless) {
  this.hooks = makeLocalStackHooks(serverless)
}
