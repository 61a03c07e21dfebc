// From bytes to a value: JSON, or YAML where a client sends it.
import { parse as parseYaml } from 'yaml'
import { isDeeperThan } from '../json.ts'
import { badRequest, unsupportedMediaType } from '../status-error.ts'

const maxDepth = 1000

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

export function readBody(body: string | undefined, contentType: string | undefined, kind: string): unknown {
  const media = mediaType(contentType)
  if (!['', 'application/json', 'application/yaml'].includes(media)) {
    throw unsupportedMediaType(['application/json', 'application/yaml'])
  }
  return parseText(body ?? '', media === 'application/yaml', kind)
}

export function parseText(text: string, isYaml: boolean, kind: string): unknown {
  let value: unknown
  try {
    value = isYaml ? parseYaml(text) : JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'malformed'
    throw Object.assign(
      badRequest(
        `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why}`,
      ),
      { cause },
    )
  }
  if (isDeeperThan(value, maxDepth)) throw badRequest('the object provided is nested too deeply')
  return value
}
