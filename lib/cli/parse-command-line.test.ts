import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UsageError, type CommandSpec } from './command.ts'
import { parseArguments, parseCommandLine } from './parse-command-line.ts'

const spec: CommandSpec = {
  noun: 'tree',
  verb: 'climb',
  summary: 'Climbs.',
  positionals: [
    { name: 'TREE', meaning: 'Which.' },
    { name: 'BRANCH', meaning: 'Up to.', isMany: true },
  ],
  options: [
    { name: 'rope', value: 'ROPE', meaning: 'With.', isRequired: true },
    { name: 'boots', value: 'BOOTS', meaning: 'In.' },
    { name: 'fast', meaning: 'Quickly.' },
  ],
  notes: [],
}
const plain: CommandSpec = {
  ...spec,
  verb: 'fell',
  positionals: [{ name: 'TREE', meaning: 'Which.' }],
  options: [],
}

function parse(...words: string[]) {
  return parseCommandLine([spec, plain], words)
}

function complaint(...words: string[]): string {
  try {
    parse(...words)
  } catch (error) {
    assert.ok(error instanceof UsageError)
    return error.message
  }
  throw new Error('was understood')
}

describe('parseArguments', () => {
  it('takes options anywhere, with a space or an equals sign', () => {
    const args = parseArguments(spec, ['--rope', 'r', 'oak', '--fast', 'b1', '--boots=x=y', 'b2'])
    assert.deepEqual(args.positionals, ['oak', 'b1', 'b2'])
    assert.deepEqual({ ...args.values }, { rope: 'r', boots: 'x=y' })
    assert.deepEqual([...args.switches], ['fast'])
  })
  it('takes what follows "--" as it is', () => {
    assert.deepEqual(parseArguments(spec, ['--rope=r', 'oak', '--', '--help', '-x']).positionals, [
      'oak',
      '--help',
      '-x',
    ])
  })
  it('takes a value that looks like an option after an equals sign', () => {
    assert.equal(parseArguments(spec, ['--rope=--x', 'oak', 'b']).values['rope'], '--x')
  })
})

describe('parseCommandLine', () => {
  it('finds the command by noun and verb', () => {
    const parsed = parse('tree', 'fell', 'oak')
    assert.ok(parsed.kind === 'run')
    assert.equal(parsed.command, plain)
  })
  it('helps at every level, whatever else is on the line', () => {
    for (const words of [[], ['--help'], ['-h'], ['help']]) {
      const parsed = parse(...words)
      assert.ok(parsed.kind === 'help')
      assert.match(parsed.text, /tree climb +Climbs\./)
    }
    for (const words of [['tree'], ['tree', '--help'], ['tree', 'help']]) {
      const parsed = parse(...words)
      assert.ok(parsed.kind === 'help')
      assert.match(parsed.text, /Usage: kpssh tree VERB/)
    }
    const parsed = parse('tree', 'climb', '--nonsense', '--help')
    assert.ok(parsed.kind === 'help')
    assert.match(
      parsed.text,
      /Usage: kpssh tree climb TREE BRANCH\.\.\. --rope ROPE \[--boots BOOTS\] \[--fast\]/,
    )
  })
  it('says what is wrong and where to read on', () => {
    assert.equal(
      complaint('bush'),
      'Cannot run "bush": it is unknown, use one of tree (kpssh --help lists them)',
    )
    assert.equal(
      complaint('tree', 'clim'),
      'Cannot run "tree clim": it is unknown, use one of climb, fell (kpssh tree --help lists them)',
    )
    const prefix = 'Cannot run "tree climb": '
    const suffix = ', see kpssh tree climb --help'
    assert.equal(complaint('tree', 'climb', '--rope=r'), `${prefix}TREE is missing${suffix}`)
    assert.equal(complaint('tree', 'climb', '--rope=r', 'oak'), `${prefix}BRANCH is missing${suffix}`)
    assert.equal(complaint('tree', 'climb', 'oak', 'b'), `${prefix}--rope ROPE is missing${suffix}`)
    assert.equal(
      complaint('tree', 'climb', 'oak', 'b', '--rop=r'),
      `${prefix}it has no option --rop${suffix}`,
    )
    assert.equal(complaint('tree', 'climb', 'oak', 'b', '-x'), `${prefix}it has no option -x${suffix}`)
    assert.equal(complaint('tree', 'climb', 'oak', 'b', '--rope'), `${prefix}--rope needs a value${suffix}`)
    assert.equal(
      complaint('tree', 'climb', 'oak', '--rope', '--fast'),
      `${prefix}--rope needs a value${suffix}`,
    )
    assert.equal(
      complaint('tree', 'climb', 'oak', 'b', '--fast=1'),
      `${prefix}--fast takes no value${suffix}`,
    )
    assert.equal(
      complaint('tree', 'fell', 'oak', 'elm'),
      'Cannot run "tree fell": "elm" is one word too many, see kpssh tree fell --help',
    )
  })
})
