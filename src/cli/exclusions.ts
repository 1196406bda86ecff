// Lets a query have words that begin with a minus, as in `search hello -world`: the parser of the command line would take them
// for flags. What a query means is not its concern.

import type { CommandDeclaration, OptionDeclaration } from './command.ts'
import { flagNames, takesValue } from './options.ts'

/**
 * The arguments with the words of a query behind `--`, in their order. A word with one minus is a flag only where it is one of
 * the command's as a whole. Other commands' arguments are given back as they are.
 */
export function withExclusions(
  argv: readonly string[],
  commands: readonly CommandDeclaration[],
  globalOptions: readonly OptionDeclaration[],
): string[] {
  const at = firstWord(argv, globalOptions)
  const named = commands.find(({ name, aliases = [] }) => [name, ...aliases].includes(argv[at] ?? ''))
  if (named?.takesExclusions !== true) return [...argv]
  const options = [...named.options, ...globalOptions]
  const flags: string[] = []
  const words: string[] = []
  for (let next = at + 1; next < argv.length; ) {
    const word = argv[next++] as string
    if (word === '--') words.push(...argv.slice(next))
    if (word === '--') break
    if (!isFlag(word, options)) {
      words.push(word)
      continue
    }
    flags.push(word)
    if (needsNext(word, options) && next < argv.length) flags.push(argv[next++] as string)
  }
  return [...argv.slice(0, at + 1), ...flags, '--', ...words]
}

/** The place of the command's name. */
function firstWord(argv: readonly string[], options: readonly OptionDeclaration[]): number {
  let at = 0
  while (at < argv.length && /^-./.test(argv[at] as string)) at += needsNext(argv[at] as string, options) ? 2 : 1
  return at
}

/** Unknown long flags stay flags: the parser says which one was probably meant. */
function isFlag(word: string, options: readonly OptionDeclaration[]): boolean {
  if (word.startsWith('--')) return true
  if (!/^-./.test(word)) return false
  const isNamed = (name: string) =>
    name === word || (/^-\w$/.test(name) && word.startsWith(name) && /^-\w\d+$/.test(word))
  return word === '-h' || options.some(option => flagNames(option).some(isNamed))
}

function needsNext(word: string, options: readonly OptionDeclaration[]): boolean {
  return options.some(option => takesValue(option) && flagNames(option).includes(word))
}
