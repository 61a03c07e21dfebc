import { writeFile } from 'node:fs/promises'
import { SpecError } from '../errors/spec-error.ts'

/** Throws SpecError (FileUnwritable). */
export async function writeOutput(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new SpecError(
      `Cannot write "${file}": it cannot be opened (${code}), give a path that can be written`,
      {
        reason: 'FileUnwritable',
        cause: error,
      },
    )
  })
}
