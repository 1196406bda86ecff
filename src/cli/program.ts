// Reads the arguments, loads the one command that is asked for, and turns errors into one line and an exit code.

import { Command, CommanderError, Option } from 'commander'
import { escapeForTerminal } from '../base/escape.ts'
import {
  type CommandDeclaration,
  type ExitCode,
  type GlobalOptions,
  type OptionDeclaration,
  UserError,
} from './command.ts'
import './terminal/broken-pipe.ts'
import { commands, globalOptions } from './commands.ts'
import { helpColumns, helpStyle, helpTail } from './help.ts'
import { closeIndex, wasRefreshed } from './index-use.ts'
import { unknownWord, usageLine } from './usage-error.ts'

async function main(argv: readonly string[], version: string): Promise<number> {
  // picocolors decides when it is loaded, which commands do later.
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  let exitCode = 0
  const program = new Command('clew')
    .description('Reads, keeps, finds, counts and mends Claude Code session logs. Nothing leaves your machine.')
    .version(version)
    .exitOverride()
    .allowUnknownOption()
    .usage('[options] [command]')
    .configureHelp(helpStyle)
    .configureOutput({
      getOutHelpWidth: helpColumns,
      getErrHelpWidth: helpColumns,
      outputError: (said, write) => write(usageLine(said, 'clew', false)),
    })
    .addHelpText('after', '\nExit codes: 0 fine, 1 nothing found or check failed, 2 error.')
  for (const option of globalOptions) program.addOption(toOption(option))
  program.argument('[words...]').action(async (words: string[]) => {
    if (words.length > 0) return tellWords(program, words)
    const { run } = await import('./commands/run-overview.ts')
    const globals = await globalsOf(program.opts())
    exitCode = await finish(() => run({ args: [], options: {}, globals })).finally(() => closeIndex(globals))
    await keepAfter(globals)
  })
  for (const declaration of commands) addCommand(program, declaration, code => (exitCode = code))
  await program.parseAsync(argv, { from: 'user' })
  return exitCode
}

/** `clew help`, `clew help ls`; any other word that is no command is an error that says what would work. */
function tellWords(program: Command, words: readonly string[]): void {
  const [first = '', second] = words
  const named = (name: string) => program.commands.find(command => command.name() === name)
  const asked = first !== 'help' ? undefined : second === undefined ? program : named(second)
  if (asked !== undefined) {
    asked.outputHelp()
    return
  }
  const word = first === 'help' ? (second ?? '') : first
  throw new UserError(
    unknownWord(
      word,
      commands.map(command => command.name),
      globalOptions.map(option => option.flags.replace(/ .*/, '')),
    ),
  )
}

function addCommand(program: Command, declaration: CommandDeclaration, exit: (code: number) => void): void {
  const takesSession = declaration.argument?.name === '[session]'
  const command = program
    .command(declaration.name)
    .summary(declaration.summary)
    .description(declaration.description)
    .exitOverride()
    .allowUnknownOption(false)
    .configureOutput({
      outputError: (said, write) => write(usageLine(said, `clew ${declaration.name}`, takesSession)),
    })
    .addHelpText('after', helpTail(declaration, globalOptions))
  if (declaration.argument) command.argument(declaration.argument.name, declaration.argument.description)
  for (const option of declaration.options) command.addOption(toOption(option))
  for (const option of globalOptions) command.addOption(toOption(option).hideHelp())
  command.action(async () => {
    const { run } = await declaration.load()
    const options = { ...program.opts(), ...command.opts() }
    const roots = [...asList(program.opts()['root']), ...asList(command.opts()['root'])]
    // Its default would hide that it stands before the command's name, or was read by the program.
    const usesIndex = [program, command].every(one => one.opts()['index'] !== false)
    const globals = await globalsOf({ ...options, root: roots, index: usesIndex })
    exit(await finish(() => run({ args: command.args, options, globals })).finally(() => closeIndex(globals)))
    if (declaration.keepsInPassing) await keepAfter(globals)
  })
}

/** Loads nothing where nobody asked for an archive, or where refreshing the index kept what is new. */
async function keepAfter(globals: GlobalOptions): Promise<void> {
  if (wasRefreshed(globals)) return
  const { configDefaults } = await import('./config.ts')
  if (globals.archive === undefined && configDefaults(globals.home).isAuto !== true) return
  const { keepInPassing } = await import('./auto-keep.ts')
  await keepInPassing(globals)
}

/** Runs a command and waits for its output to be written, whether or not it fails. */
async function finish(run: () => Promise<ExitCode>): Promise<ExitCode> {
  const { flush } = await import('./terminal/output.ts')
  try {
    return await run()
  } finally {
    await flush()
  }
}

function toOption(declaration: OptionDeclaration): Option {
  const option = new Option(declaration.flags, declaration.description)
  if (declaration.choices) option.choices([...declaration.choices])
  if (declaration.isRepeatable)
    option.argParser((value: string, list: string[] | undefined) => [...(list ?? []), value])
  return option
}

/** What the command line says, then the environment, then the config file. */
async function globalsOf(options: Record<string, unknown>): Promise<GlobalOptions> {
  const { configDefaults, ownHome, timezoneFault } = await import('./config.ts')
  const { openPlaces } = await import('./places.ts')
  const defaults = configDefaults(options['home'])
  const named = asList(options['root'])
  const isNamed = named.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
  const globals: GlobalOptions = {
    root: isNamed ? named : defaults.roots,
    isRootNamed: named.length > 0,
    json: options['json'] === true,
    quiet: options['quiet'] === true,
    usesIndex: options['index'] !== false,
    ...(await openPlaces(ownHome(options['home']), tellArchiveProblem)),
  }
  const timezone = typeof options['timezone'] === 'string' ? options['timezone'] : defaults.timezone
  if (timezone === undefined) return globals
  const fault = timezoneFault(timezone)
  if (fault !== undefined) throw new UserError(fault)
  return { ...globals, timezone }
}

/** What is on disk is shown all the same. */
function tellArchiveProblem(message: string): void {
  process.stderr.write(`clew: a problem with the archive: ${escapeForTerminal(message)}\n`)
}

function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** One line, no stack: what went wrong and, where known, where. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const isOfIndex = error instanceof Error && (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR'
  const said = escapeForTerminal(text)
  return isOfIndex ? `clew: the index cannot be used: ${said}; clew index rebuild makes it anew` : `clew: ${said}`
}

/** Runs what the arguments ask for and sets the exit code. */
export async function runProgram(argv: readonly string[], version: string): Promise<void> {
  try {
    process.exitCode = await main(argv, version)
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2
      return
    }
    process.stderr.write(`${messageOf(error)}\n`)
    if (!(error instanceof UserError) && process.env['CLEW_DEBUG']) console.error(error)
    process.exitCode = 2
  }
}
