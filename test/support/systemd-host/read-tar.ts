// Reads a tar archive as GNU tar writes it: what is needed to compare files, and no more.
import type { FileState } from '../../../lib/proof/ports.ts'

const block = 512
const kinds: Readonly<Record<string, FileState['kind']>> = { '0': 'file', '5': 'directory', '2': 'link' }

/** By the names in the archive. */
export function readTar(archive: Buffer): Map<string, FileState> {
  const files = new Map<string, FileState>()
  let longName: string | undefined
  let longTarget: string | undefined
  for (let at = 0; at + block <= archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + block)
    const text = (start: number, length: number): string => untilZero(header.subarray(start, start + length))
    const size = parseInt(text(124, 12), 8)
    const content = archive.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
    const type = text(156, 1) || '0'
    if (type === 'L') longName = untilZero(content)
    else if (type === 'K') longTarget = untilZero(content)
    else {
      const kind = kinds[type] ?? 'other'
      const target = longTarget ?? text(157, 100)
      files.set(longName ?? text(0, 100), {
        kind,
        mode: parseInt(text(100, 8), 8),
        owner: `${text(265, 32) || String(parseInt(text(108, 8), 8))}:${text(297, 32) || String(parseInt(text(116, 8), 8))}`,
        content: kind === 'file' ? content.toString('latin1') : kind === 'link' ? target : '',
      })
      longName = longTarget = undefined
    }
  }
  return files
}

function untilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
}
