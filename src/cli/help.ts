// How help looks: at most 79 columns, one screen, an example each. What it says comes from the declarations.

import type { Command, Help } from 'commander'
import type { CommandDeclaration, OptionDeclaration } from './command.ts'

const widest = 79

/** Columns of help: those of the terminal, but no more than reads well. */
export function helpColumns(): number {
  return Math.min(process.stdout.columns ?? widest, widest)
}

/** Commands by name alone: their arguments stand in their own help, and the list stays one line each. */
export const helpStyle: Partial<Help> = {
  subcommandTerm: (command: Command) => command.name(),
}

/** What stands below the options of a command: the flags that all have, and its examples. */
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
  return [...lines, line, '  (clew --help explains them)'].join('\n')
}

/** Side by side; where that is too wide, what an example does stands below it. */
function exampleLines({ examples }: CommandDeclaration): string[] {
  const width = Math.max(...examples.map(([command]) => command.length))
  const isWide = examples.some(([, what]) => 2 + width + 2 + what.length > widest)
  return examples.flatMap(([command, what]) =>
    isWide ? [`  ${command}`, `      ${what}`] : [`  ${command.padEnd(width)}  ${what}`],
  )
}
