import type { SteppedMachine, SteppedMachines } from '../proof/ports.ts'

/** Machines that can all be closed at once, whoever made them and whatever is going on in them. */
export function trackMachines(machines: SteppedMachines): SteppedMachines {
  const open = new Set<SteppedMachine>()
  let isClosed = false
  return {
    async make(from) {
      const machine = await machines.make(from)
      const tracked: SteppedMachine = {
        ...machine,
        async close() {
          open.delete(tracked)
          await machine.close()
        },
      }
      open.add(tracked)
      if (isClosed) await tracked.close()
      return tracked
    },
    async close() {
      isClosed = true
      await Promise.all([...open].map((machine) => machine.close()))
      await machines.close()
    },
  }
}
