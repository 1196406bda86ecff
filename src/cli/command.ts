// What a command is: a row in the table of commands, and a file with its declaration and its `run`. The declaration feeds the
// parser, the help, completion, the guide and the docs.

import type { Clew } from '../answers/clew.ts'

/** A flag as commander writes it, with what people need to know. */
export interface OptionDeclaration {
  flags: string
  description: string
  /** Values that are allowed; others are an error. */
  choices?: readonly string[]
  /** May be given more than once. */
  isRepeatable?: boolean
  /** Next to `--json`: an error, or what JSON does anyway. Where absent, the flag changes what is printed or done. */
  withJson?: 'refused' | 'implied'
  /** Long names of other flags of the command that cannot be given with it. */
  conflicts?: readonly string[]
}

/** A row of the table of commands. */
export interface CommandDeclaration {
  name: string
  /** Other names that it may be called by. */
  aliases?: readonly string[]
  /** One line for the list of commands. */
  summary: string
  /** Commander's notation: `[paths...]`, `<session>`. */
  /** `choices`: what it may be; completed, and checked by the command. */
  argument?: { name: string; description: string; choices?: readonly string[] }
  /** What it prints and when to use it. */
  description: string
  options: readonly OptionDeclaration[]
  /** Command lines that work, each with what it does. */
  examples: readonly (readonly [command: string, what: string])[]
  /** What it prints may be long: on a terminal, more than a screen goes through a pager. */
  isPaged?: true
  /** Its words may begin with a minus, as in `-draft`, which leaves out texts. */
  takesExclusions?: true
  /** It writes sessions: its examples run in a home of their own. */
  writes?: true
  /** It reads all homes, and archives what is new in them where that is configured: after its answer, or while it works. */
  archives?: 'afterwards' | 'meanwhile'
  load(): Promise<{ run: CommandRun }>
}

/** The options that every command takes: where to look, and how to print. */
export interface GlobalOptions {
  clew: Clew
  json: boolean
  quiet: boolean
}

export interface CommandInput {
  args: string[]
  options: Record<string, unknown>
  globals: GlobalOptions
  /** Every command, for those that describe all of them. */
  commands: readonly CommandDeclaration[]
}

/** Exit code: 0 fine, 1 nothing found or check failed, 2 error, 130 stopped with Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 130
/** A command that runs another program ends with its code. */
export type CommandRun = (input: CommandInput) => Promise<number>
