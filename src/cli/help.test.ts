import { describe, expect, it } from 'vitest'
import { unknownWord, usageLine } from './help.ts'

const commands = ['ls', 'show', 'tree', 'stats', 'history', 'resume', 'records']
const flags = ['--root', '--json', '--quiet']

describe('a first word that is not a command', () => {
  it.each([
    ['lss', 'ls'],
    ['sho', 'show'],
    ['hsitory', 'history'],
    ['stat', 'stats'],
    ['rec', 'records'],
  ])('%s is taken for a misspelt %s', (word, meant) => {
    expect(unknownWord(word, commands, flags)).toBe(`unknown command "${word}"; did you mean clew ${meant}?`)
  })

  it('that is near none may be a session', () => {
    expect(unknownWord('fog of war', commands, flags)).toContain('clew show to find a session')
    expect(unknownWord('x'.repeat(100_000), commands, flags)).toContain('clew show to find a session')
  })

  it('may be a flag', () => {
    expect(unknownWord('--jsno', commands, flags)).toBe('unknown option "--jsno"; did you mean --json?')
    expect(unknownWord('--rot=/tmp', commands, flags)).toBe('unknown option "--rot=/tmp"; did you mean --root?')
    expect(unknownWord('--wholly-new', commands, flags)).toBe('unknown option "--wholly-new"; see clew --help')
  })
})

describe("the parser's words", () => {
  it('become one line that says where to look', () => {
    const said = "error: unknown option '--lng'\n(Did you mean --long?)\n"
    expect(usageLine(said, 'clew ls', false)).toBe(
      "clew: unknown option '--lng' (did you mean --long?); see clew ls --help\n",
    )
    expect(usageLine("error: missing required argument 'shell'\n", 'clew completion', false)).toBe(
      "clew: missing required argument 'shell'; see clew completion --help\n",
    )
  })

  it('about too many words hint at quotes where a title may be', () => {
    const said = "error: too many arguments for 'show'. Expected 1 argument but got 3.\n"
    expect(usageLine(said, 'clew show', true)).toMatch(/; quote a title with spaces\n$/)
    expect(usageLine(said, 'clew show', false)).toMatch(/; see clew show --help\n$/)
  })

  it('hold nothing raw of what was typed', () => {
    expect(usageLine("error: unknown option '--\u001b[2J'\n", 'clew', false)).not.toContain('\u001b')
  })
})
