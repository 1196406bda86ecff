// What a command is. One declaration feeds the parser, the help, the docs and the tests; how it runs is loaded on demand.

import type { OpenPlaces } from './places.ts'

/** A flag as commander writes it, with what people need to know. */
export interface OptionDeclaration {
  flags: string
  description: string
  /** Values that are allowed; others are an error. */
  choices?: readonly string[]
  /** May be given more than once. */
  isRepeatable?: boolean
}

export interface CommandDeclaration {
  name: string
  /** Commander's notation: `[paths...]`, `<session>`. */
  argument?: { name: string; description: string }
  /** One line for the list of commands. */
  summary: string
  /** What it prints and when to use it. */
  description: string
  options: readonly OptionDeclaration[]
  /** Command lines that work, each with what it does. */
  examples: readonly (readonly [command: string, what: string])[]
  /** It looks at all homes: what is new in them is kept afterwards, where people want that. */
  keepsInPassing?: true
  load(): Promise<{ run: CommandRun }>
}

/** Options that every command takes, and the places that it reads. */
export interface GlobalOptions extends OpenPlaces {
  /** Roots named with `--root`; empty means the usual places. */
  root: string[]
  /** Whether `--root` stands on the command line: for this once, not as a setting. */
  isRootNamed?: boolean
  json: boolean
  quiet: boolean
  /** False with `--no-index`: what files say is read from the files. */
  usesIndex?: boolean
  timezone?: string
}

export interface CommandInput {
  args: string[]
  options: Record<string, unknown>
  globals: GlobalOptions
}

/** Exit code: 0 fine, 1 nothing found or check failed, 2 error. */
export type ExitCode = 0 | 1 | 2
export type CommandRun = (input: CommandInput) => Promise<ExitCode>

/** An error that people can act on: printed as one line, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
