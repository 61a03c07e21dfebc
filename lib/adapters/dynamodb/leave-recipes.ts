import { z } from 'zod'
import type { LeaveRecipes } from '../../hosts/ports.ts'
import { makeDynamoTable, type DynamoDeps } from './dynamo-table.ts'
import { recipeItemKey } from './item-key.ts'
import { parseItem } from './parse-item.ts'

const LeaveRecipe = z.object({
  digest: z.string(),
  profile: z.string(),
  version: z.string(),
  script: z.string(),
  signature: z.string().optional(),
  manifest: z.object({ manifest: z.string(), signature: z.string() }).optional(),
  timeoutMs: z.number(),
  agentUnits: z.array(z.string()),
})

/** Kept by digest, so a second put writes the same: it needs no condition. */
export function makeDynamoLeaveRecipes(deps: DynamoDeps): LeaveRecipes {
  const table = makeDynamoTable(deps)
  return {
    async put(recipe) {
      await table.put(recipeItemKey(recipe.digest), recipe)
    },
    async get(digest) {
      const item = await table.get(recipeItemKey(digest))
      if (item === undefined) return undefined
      const { signature, manifest, ...recipe } = parseItem(LeaveRecipe, item)
      return { ...recipe, ...(signature && { signature }), ...(manifest && { manifest }) }
    },
  }
}
