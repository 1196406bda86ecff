// The commands as a value, for those of them that tell about all: completion and guide get it handed in, since the list of
// commands holds them too.

import type { CommandDeclaration, OptionDeclaration } from './command.ts'

export interface Declared {
  commands: readonly CommandDeclaration[]
  globalOptions: readonly OptionDeclaration[]
}

/** A flag's names without its value: `-q, --quiet` → `['-q', '--quiet']`. */
export function flagNames(option: OptionDeclaration): string[] {
  return option.flags.split(/[ ,]+/).filter(word => word.startsWith('-'))
}

/** Whether a flag takes a value. */
export function takesValue(option: OptionDeclaration): boolean {
  return /[<[]/.test(option.flags)
}
