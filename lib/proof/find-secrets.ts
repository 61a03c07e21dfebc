// Looks for secrets in what a phase leaves behind, in every form in which a program may write them.
import type { JoinContext } from '../profile/join-context.ts'
import { redactionForms, type RedactionForm } from '../profile/redaction-forms.ts'
import type { FileState, MachineState, StartedProgram } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'

export interface Secret {
  /** Of the variable that hands it to scripts. */
  readonly name: string
  readonly forms: readonly RedactionForm[]
}

/** What a context holds that must not be seen: the token, its secret half, every key of the join Secret. */
export function secretsOf({ BootstrapToken, Secrets }: JoinContext): readonly Secret[] {
  const [, half = ''] = BootstrapToken.split('.', 2)
  const named = Object.entries(Secrets ?? {}).map(([key, value]) => ({
    name: `KPSSH_SECRET_${key.toUpperCase().replaceAll(/[-.]/g, '_')}`,
    values: [value],
  }))
  return [{ name: 'KPSSH_BOOTSTRAP_TOKEN', values: [BootstrapToken, half] }, ...named]
    .map(({ name, values }) => ({ name, forms: redactionForms(values) }))
    .filter(({ forms }) => forms.length > 0)
}

/** Names of the secrets that occur. `bytes` has one character per byte. */
export function secretsIn(bytes: string, secrets: readonly Secret[]): readonly string[] {
  return secrets.filter(({ forms }) => forms.some((form) => occurs(bytes, form))).map(({ name }) => name)
}

function occurs(text: string, { bytes, isWord }: RedactionForm): boolean {
  for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at + 1)) {
    if (!isWord || !isInsideWord(text, at, bytes.length)) return true
  }
  return false
}

function isInsideWord(text: string, at: number, length: number): boolean {
  const touches = (a: number, b: number): boolean => /^\w{2}$/.test(`${text[a] ?? ''}${text[b] ?? ''}`)
  return touches(at - 1, at) || touches(at + length - 1, at + length)
}

export function secretsInOutput(
  phase: string,
  output: string,
  secrets: readonly Secret[],
): readonly ProofFinding[] {
  return secretsIn(Buffer.from(output).toString('latin1'), secrets).map((name) => ({
    reason: 'SecretInOutput',
    message: `${phase} prints the value of ${name}`,
    lines: output.split('\n').flatMap((line, index) => lineWith(line, index, secrets)),
  }))
}

/** The place and not the line: it would be the next place where the secret is seen. */
function lineWith(line: string, index: number, secrets: readonly Secret[]): readonly string[] {
  const isThere = secretsIn(Buffer.from(line).toString('latin1'), secrets).length > 0
  return isThere ? [`line ${index + 1} of the output`] : []
}

export function secretsInPrograms(
  phase: string,
  programs: readonly StartedProgram[],
  secrets: readonly Secret[],
): readonly ProofFinding[] {
  const findings = programs.flatMap((program) => [
    ...inWords('SecretInArguments', program.arguments),
    ...inWords('SecretInEnvironment', program.environment),
  ])
  return firstOfEach(findings)

  function inWords(
    reason: 'SecretInArguments' | 'SecretInEnvironment',
    words: readonly string[],
  ): readonly ProofFinding[] {
    const where = reason === 'SecretInArguments' ? 'among the arguments' : 'in the environment'
    return secretsIn(Buffer.from(words.join('\0')).toString('latin1'), secrets).map((name) => ({
      reason,
      message: `${phase} starts a program with the value of ${name} ${where}`,
      lines: [],
    }))
  }
}

function firstOfEach(findings: readonly ProofFinding[]): readonly ProofFinding[] {
  return [...new Map(findings.map((finding) => [finding.message, finding])).values()]
}

/** Files that hold a secret and may be read by others than root. */
export function readableSecrets(
  when: string,
  files: MachineState['files'],
  secrets: readonly Secret[],
): readonly ProofFinding[] {
  return holders(files, secrets)
    .filter(({ file }) => !isForRootAlone(file))
    .map(({ path, file, names }) => ({
      reason: 'SecretInFile',
      message: `${path} holds the value of ${names} and may be read by others, ${when}`,
      lines: [`its mode is ${file.mode.toString(8)}, its owner ${file.owner}`],
    }))
}

function isForRootAlone({ mode, owner }: FileState): boolean {
  return (mode === 0o600 || mode === 0o400) && owner.startsWith('root:')
}

/** Files that hold a secret when none may be left. */
export function stayingSecrets(
  when: string,
  files: MachineState['files'],
  secrets: readonly Secret[],
): readonly ProofFinding[] {
  return holders(files, secrets).map(({ path, names }) => ({
    reason: 'SecretStays',
    message: `${path} holds the value of ${names} ${when}`,
    lines: [],
  }))
}

function holders(files: MachineState['files'], secrets: readonly Secret[]) {
  return [...files].flatMap(([path, file]) => {
    const names = secretsIn(`${path}\0${file.content}`, secrets)
    return names.length === 0 ? [] : [{ path, file, names: names.join(', ') }]
  })
}
