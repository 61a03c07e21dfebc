// The program that runs on hosts is written as real shell files, so that shellcheck and people can read it, and carried
// into the bundle as text. This renders the one from the other; a test fails when they differ.

/** Drops comment lines and indentation: every byte of the program is sent with every run. */
function slim(source: string): string {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .join('\n')
}

function asTemplate(text: string): string {
  return `\`${text.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)}\n\``
}

function constantName(fileName: string): string {
  const words = fileName.replace(/\.sh$/, '').split('-')
  const [first = '', ...rest] = words
  return `${first}${rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Part`
}

/** `sources` by file name, in the order in which they are exported. */
export function renderHostProgram(sources: ReadonlyMap<string, string>): string {
  const parts = [...sources].map(
    ([fileName, source]) => `export const ${constantName(fileName)} = ${asTemplate(slim(source))}\n`,
  )
  return `// Generated from the shell files beside it by infra/host-program/generate.ts: edit those.\n/* eslint-disable max-lines -- generated */\n\n${parts.join('\n')}`
}
