import { shortText } from '../../api/short-text.ts'

/** Room for a name or two of a template; one that is longer is not worth more of a condition. */
const longestMessage = 300

/** Thrown inside the engine only; template.ts turns it into an outcome. Its message never holds a value of the context. */
export class TemplateFault extends Error {
  readonly stage: 'parse' | 'exec'
  /** From 1; 0 if unknown. */
  readonly line: number
  constructor(stage: 'parse' | 'exec', line: number, message: string) {
    super(shortText(message, longestMessage))
    this.name = 'TemplateFault'
    this.stage = stage
    this.line = line
  }
}
