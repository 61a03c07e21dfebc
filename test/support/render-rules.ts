// The rules of lint as docs/profiles.md shows them, made from the rules themselves.
import { allowanceRules, type AllowanceRule } from '../../lib/profile/lint/allowances.ts'
import { rules } from '../../lib/profile/lint/rules.ts'

export function renderRules(): string {
  return [
    '| rule | severity | why | instead |',
    '| --- | --- | --- | --- |',
    ...[...rules, ...allowanceRules].map(row),
  ].join('\n')
}

function row({ name, severity, explanation, fix }: AllowanceRule): string {
  return `| \`${name}\` | ${severity} | ${cell(explanation)} | ${cell(fix)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
