// What a script says on a machine of proofs, line by line, and how it ends.
import type { PhaseToRun, SteppedMachine } from '../../lib/proof/ports.ts'

/** A script as a phase; it goes on where a command fails. */
export function scriptToRun(script: string): PhaseToRun {
  return {
    phase: 'install',
    rendered: {
      ...{ script: `set +e\n${script}\n`, environment: {}, secrets: [], timeoutMs: 20_000 },
      ...{ marker: 'demo@1', agentUnits: [] },
    },
  }
}

export async function says(machine: SteppedMachine, script: string): Promise<readonly string[]> {
  const { output, exitCode } = await machine.run(scriptToRun(script))
  return [...output.split('\n').filter((line) => line !== ''), `exit ${String(exitCode)}`]
}
