import { jsonPatch } from '../patches/json-patch.ts'
import { mergePatch } from '../patches/merge-patch.ts'
import { strategicMergePatch } from '../patches/strategic-merge.ts'
import type { KubeObject } from '../kube-object.ts'
import type { ResourceType } from '../resource-type.ts'
import { unsupportedMediaType } from '../status-error.ts'
import { mediaType, parseText } from './read-body.ts'

const json = 'application/json-patch+json'
const merge = 'application/merge-patch+json'
const strategic = 'application/strategic-merge-patch+json'

/** The object as the patch wants it. */
export function patchedObject(
  type: ResourceType,
  current: KubeObject,
  sent: { readonly body: string | undefined; readonly contentType: string | undefined },
): unknown {
  const patch = (): unknown => parseText(sent.body ?? '', false, type.kind)
  switch (mediaType(sent.contentType)) {
    case json:
      return jsonPatch(current, patch())
    case merge:
      return mergePatch(current, patch())
    case strategic:
      if (!type.isCustom) return strategicMergePatch(current, patch())
  }
  throw unsupportedMediaType(type.isCustom ? [json, merge] : [json, merge, strategic])
}
