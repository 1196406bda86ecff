// How help looks: at most 79 columns, one screen, an example each. What it says comes from the declarations.

import type { Command, Help } from 'commander'
import { escapeForLine } from '../base/escape.ts'
import { nearest } from '../base/nearest.ts'
import type { CommandDeclaration, OptionDeclaration } from './command.ts'

const widest = 79

/** Columns of help: those of the terminal, but no more than reads well. */
export function helpColumns(): number {
  return Math.min(process.stdout.columns ?? widest, widest)
}

/** Commands by name alone, one line each; arguments are in the help of the command. */
export const helpStyle: Partial<Help> = {
  subcommandTerm: (command: Command) => command.name(),
}

/** The end of a command's help: global flags and examples. */
export function helpTail(declaration: CommandDeclaration, globalOptions: readonly OptionDeclaration[]): string {
  return `\n${globalsNote(globalOptions)}\n\nExamples:\n${exampleLines(declaration).join('\n')}`
}

function globalsNote(globalOptions: readonly OptionDeclaration[]): string {
  const flags = globalOptions.map(option => option.flags)
  const lines: string[] = []
  let line = 'Global Options:'
  for (const [i, flag] of flags.entries()) {
    const part = ` ${flag}${i < flags.length - 1 ? ',' : ''}`
    if (line.length + part.length > widest) {
      lines.push(line)
      line = ` ${part}`
    } else line += part
  }
  return [...lines, line, '  (see clew --help)'].join('\n')
}

/** Side by side; where that is too wide, the explanation is below the command. */
function exampleLines({ examples }: CommandDeclaration): string[] {
  const width = Math.max(...examples.map(([command]) => command.length))
  const isWide = examples.some(([, what]) => 2 + width + 2 + what.length > widest)
  return examples.flatMap(([command, what]) =>
    isWide ? [`  ${command}`, `      ${what}`] : [`  ${command.padEnd(width)}  ${what}`],
  )
}

/** `clew: unknown option '--lng' (did you mean --long?); see clew ls --help`, from the parser's own words. */
export function usageLine(message: string, command: string, takesSession: boolean): string {
  const text = message
    .replace(/^error: /, '')
    .trim()
    .replace(/\.$/, '')
    .replace(/\n\(Did you mean /, ' (did you mean ')
  const isTooMany = text.startsWith('too many arguments')
  const hint = isTooMany && takesSession ? 'quote a title with spaces' : `see ${command} --help`
  return `clew: ${escapeForLine(text)}; ${hint}\n`
}

/** For a first word that is not a command: the command that was probably meant, else how to look for a session. */
export function unknownWord(word: string, commands: readonly string[], flags: readonly string[]): string {
  const isFlag = word.startsWith('-')
  const [closest] = nearest(word.replace(/=.*/, ''), isFlag ? flags : commands)
  if (isFlag)
    return `unknown option "${word}"; ${closest === undefined ? 'see clew --help' : `did you mean ${closest}?`}`
  if (closest !== undefined) return `unknown command "${word}"; did you mean clew ${closest}?`
  return `unknown command "${word}"; see clew --help, or clew show to find a session by title or id`
}

/** For a word that is not a subcommand: the one that was probably meant, else all. */
export function unknownVerb(command: string, word: string, verbs: readonly string[]): string {
  const [closest] = nearest(word, verbs)
  const hint = closest === undefined ? `it knows ${verbs.join(', ')}` : `did you mean clew ${command} ${closest}?`
  return `${command} does not know "${word}"; ${hint}`
}
