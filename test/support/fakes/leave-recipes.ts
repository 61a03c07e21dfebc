import type { LeaveRecipe, LeaveRecipes } from '../../../lib/hosts/ports.ts'

export interface FakeLeaveRecipes extends LeaveRecipes {
  readonly recipes: readonly LeaveRecipe[]
}

export function fakeLeaveRecipes(...initial: readonly LeaveRecipe[]): FakeLeaveRecipes {
  const recipes = new Map(initial.map((recipe) => [recipe.digest, recipe]))
  return {
    get recipes() {
      return [...recipes.values()]
    },
    async put(recipe) {
      if (!recipes.has(recipe.digest)) recipes.set(recipe.digest, recipe)
    },
    get: async (digest) => recipes.get(digest),
  }
}
