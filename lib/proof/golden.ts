// proof.txt: what each phase changes, in sections, as the author has reviewed it.

const heading = [
  '# What each phase changes on a fresh machine, as `kpssh profile test` has found it; --update writes it anew.',
  '# + is there now, - is gone, ~ is another.',
]

/** Texts by title. */
export type Sections = ReadonlyMap<string, string>

export function formatGolden(sections: Sections): string {
  const texts = [...sections].map(([title, text]) => `\n== ${title}\n${text === '' ? '' : `${text}\n`}`)
  return `${heading.join('\n')}\n${texts.join('')}`
}

export function parseGolden(text: string): Sections {
  const [, ...sections] = `\n${text}`.split(/^== /m)
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n')
      return [section.slice(0, end), section.slice(end + 1).trimEnd()] as const
    }),
  )
}
