// The options that every command takes, and what flags look like.

import type { OptionDeclaration } from './command.ts'

/** Flags that may come before or after the name of any command. */
export const globalOptions: readonly OptionDeclaration[] = [
  {
    flags: '--root <path>',
    description: 'read this Claude home, projects folder, project folder or session file (repeatable)',
    isRepeatable: true,
  },
  { flags: '--json', description: 'print JSON' },
  { flags: '--home <path>', description: "use this folder for Clew's own files: config, archive, index" },
  { flags: '--timezone <zone>', description: 'print times in this time zone, such as Europe/Berlin' },
  { flags: '--no-index', description: 'read the log files instead of the index' },
  { flags: '--no-color', description: 'print plain text' },
  { flags: '--no-pager', description: 'do not use a pager' },
  { flags: '-q, --quiet', description: 'print only errors on stderr' },
]

/** A flag's names without its value: `-q, --quiet` → `['-q', '--quiet']`. */
export function flagNames(option: OptionDeclaration): string[] {
  return option.flags.split(/[ ,]+/).filter(word => word.startsWith('-'))
}

/** Whether a flag takes a value. */
export function takesValue(option: OptionDeclaration): boolean {
  return /[<[]/.test(option.flags)
}
