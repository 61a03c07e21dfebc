/** Ends a wait. An abort without a reason of its own makes an error with a stack, for nobody, many times a contact. */
export function giveUp(wait: AbortController): void {
  wait.abort('given up')
}
