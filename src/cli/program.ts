// Reads the arguments, loads the one command that runs, and turns errors into one line and an exit code.

import { Command, CommanderError, Option } from 'commander'
import { Interrupted, UserError } from '../answers/error.ts'
import { indexErrorOr } from '../answers/knows/damage.ts'
import { closeIndex, wasRefreshed } from '../answers/knows/index-use.ts'
import { escapeForTerminal } from '../base/escape.ts'
import type { CommandInput, CommandRun, GlobalOptions, OptionDeclaration } from './command.ts'
import { commands } from './commands.ts'
import { withExclusions } from './exclusions.ts'
import { helpColumns, helpStyle, helpTail, unknownWord, usageLine } from './help.ts'
import { flagNames, globalOptions } from './options.ts'
import { endWith, flush, watchOutput } from './terminal/output.ts'

const commandNames = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])

async function main(argv: readonly string[], version: string): Promise<number> {
  // picocolors knows the flag itself; other code looks at the environment.
  if (argv.includes('--no-color')) process.env['NO_COLOR'] = '1'
  let exitCode = 0
  const program = new Command('clew')
    .description('Read, search, archive and measure Claude Code session logs. Nothing leaves your machine.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .allowUnknownOption()
    .usage('[options] [command]')
    .configureHelp(helpStyle)
    .configureOutput({
      getOutHelpWidth: helpColumns,
      getErrHelpWidth: helpColumns,
      outputError: (message, write) => write(usageLine(message, 'clew', false)),
    })
    .addHelpText('after', '\nExit codes: 0 success, 1 nothing found or a check failed, 2 error, 130 stopped.')
  for (const option of globalOptions) program.addOption(toOption(option))
  for (const { name, aliases = [], summary } of commands) program.command(name).aliases(aliases).summary(summary)
  const declare = (command: Command) => declareCommand(program, command, code => (exitCode = code))
  program.hook('preSubcommand', (_program, command) => declare(command))
  program.argument('[words...]').action(async (words: string[]) => {
    if (words.length > 0) return helpFor(program, words, declare)
    const { run } = await import('./commands/overview.ts')
    const globals = await globalsOf(program.opts())
    exitCode = await runCommand(run, { args: [], options: {}, globals, commands }, program.opts()['pager'] !== false)
    await archiveAfter(globals)
  })
  await program.parseAsync(withExclusions(argv, commands, globalOptions), { from: 'user' })
  return exitCode
}

/** `clew help`, `clew help ls`; any other word that is not a command is an error that suggests one. */
function helpFor(program: Command, words: readonly string[], declare: (command: Command) => void): void {
  const [first = '', second] = words
  const word = first === 'help' ? second : first
  const named =
    first === 'help' ? program.commands.find(one => [one.name(), ...one.aliases()].includes(word ?? '')) : undefined
  const command = word === undefined ? program : named
  if (command === undefined)
    throw new UserError(unknownWord(word ?? '', commandNames, globalOptions.flatMap(flagNames)))
  declare(command)
  command.outputHelp()
}

/** Gives the parser the arguments, options, help and action of a command, whose code is loaded when it runs. */
function declareCommand(program: Command, command: Command, exit: (code: number) => void): void {
  const declaration = commands.find(({ name }) => name === command.name())
  if (declaration === undefined) return
  const takesSession = declaration.argument?.name === '[session]'
  command
    .description(declaration.description)
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .allowUnknownOption(false)
    .configureOutput({
      outputError: (message, write) => write(usageLine(message, `clew ${declaration.name}`, takesSession)),
    })
    .addHelpText('after', helpTail(declaration, globalOptions))
  if (declaration.argument) command.argument(declaration.argument.name, declaration.argument.description)
  for (const option of declaration.options) command.addOption(toOption(option))
  for (const option of globalOptions) command.addOption(toOption(option).hideHelp())
  command.action(async () => {
    refuseConflicts(declaration.options, command, program)
    const options = { ...program.opts(), ...command.opts() }
    const roots = [...asList(program.opts()['root']), ...asList(command.opts()['root'])]
    // `--no-index` may come before or after the name; the default of the other place must not hide it.
    const isSet = (name: string) => [program, command].every(one => one.opts()[name] !== false)
    const neverFails = declaration.name === 'statusline'
    const globals = await globalsOf({ ...options, root: roots, index: isSet('index') }, neverFails)
    const { run } = await declaration.load()
    const isPaged = declaration.isPaged === true && isSet('pager')
    const input = { args: command.args, options: { ...options, pager: isSet('pager') }, globals, commands }
    exit(await runCommand(run, input, isPaged))
    if (declaration.archives === 'afterwards') await archiveAfter(globals)
  })
}

/** Asks whether to archive where that is not known, and archives what is new; a refresh of the index has done so already. */
async function archiveAfter(globals: GlobalOptions): Promise<void> {
  const isTerminal = process.stdout.isTTY === true
  const isDone = wasRefreshed(globals.clew)
  // The code of the archive is not loaded where there is nothing to do.
  if (!isTerminal && (isDone || (globals.clew.archive === undefined && !(await isAuto(globals))))) return
  const hasAgreed = isTerminal && (await (await import('./auto-archive.ts')).offerArchive(globals))
  if (isDone && !hasAgreed) return
  const { archiveInPassing } = await import('../answers/care/in-passing.ts')
  await archiveInPassing(globals.clew)
}

/** A config that cannot be read is no reason to archive; `clew doctor` reports it. */
async function isAuto({ clew }: GlobalOptions): Promise<boolean> {
  const { archiveSettingOf } = await import('../answers/archive-mode.ts')
  return archiveSettingOf(clew).mode === 'auto'
}

/** What the options of every command say. `neverFails`: an own folder that cannot be used is no error. */
async function globalsOf(options: Readonly<Record<string, unknown>>, neverFails = false): Promise<GlobalOptions> {
  const { openClew } = await import('../answers/open.ts')
  const { listenerFor } = await import('./terminal/listener.ts')
  const { home, timezone } = options
  const quiet = options['quiet'] === true
  const clew = await openClew({
    roots: asList(options['root']),
    index: options['index'] !== false,
    usesSample: isForPeople(options),
    neverFails,
    listener: listenerFor(quiet),
    ...(typeof home === 'string' && { home }),
    ...(typeof timezone === 'string' && { timezone }),
  })
  return { clew, json: options['json'] === true, quiet }
}

/** The sample history is for those who look around on a terminal: a program, or a budget, would take it for real. */
function isForPeople({ json, csv, sarif, quiet, budget }: Readonly<Record<string, unknown>>): boolean {
  return process.stdout.isTTY === true && !json && !csv && !sarif && !quiet && budget === undefined
}

/** A flag that would be ignored next to another one is an error. */
function refuseConflicts(declared: readonly OptionDeclaration[], command: Command, program: Command): void {
  for (const option of globalOptions.filter(({ isRepeatable }) => !isRepeatable).map(toOption))
    if (option.required && [command, program].every(one => isGiven(option, one)))
      throw new UserError(`${option.long} is given twice`)
  const hasJson = [command, program].some(one => one.opts()['json'] === true)
  const given = declared.filter(option => isGiven(toOption(option), command))
  const names = new Set(given.flatMap(flagNames))
  for (const option of given) {
    const others = (option.conflicts ?? []).filter(name => names.has(name))
    if (hasJson && option.withJson === 'refused') others.push('--json')
    if (others.length > 0) throw new UserError(`${flagNames(option).at(-1)} and ${others[0]} exclude each other`)
  }
}

function isGiven(option: Option, command: Command): boolean {
  const name = option.attributeName()
  return command.getOptionValueSource(name) === 'cli' && (command.opts()[name] === false) === option.negate
}

function asList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Runs a command, waits for its output to be written, whether or not it fails, and closes the index. */
async function runCommand(run: CommandRun, input: CommandInput, isPaged = false): Promise<number> {
  const isLong = isPaged && process.stdout.isTTY === true && !input.globals.json
  const endPaging = isLong ? (await import('./terminal/paging.ts')).startPaging() : flush
  try {
    return await run(input).finally(endPaging)
  } catch (error) {
    throw await indexErrorOr(error, input.globals.clew)
  } finally {
    await closeIndex(input.globals.clew)
  }
}

function toOption(declaration: OptionDeclaration): Option {
  const option = new Option(declaration.flags, declaration.description)
  if (declaration.choices) option.choices([...declaration.choices])
  if (declaration.isRepeatable)
    option.argParser((value: string, list: string[] | undefined) => [...(list ?? []), value])
  else if (option.required || option.optional) refuseTwice(option)
  return option
}

/** The last of two values would hide the first. */
function refuseTwice(option: Option): void {
  const { parseArg } = option
  option.argParser((value: string, before: unknown) => {
    if (before !== undefined) throw new UserError(`${option.long} is given twice`)
    return parseArg === undefined ? value : parseArg(value, before)
  })
}

/** One line, no stack: what went wrong and, where known, where. */
function messageOf(error: unknown): string {
  return `clew: ${escapeForTerminal(error instanceof Error ? error.message : String(error))}`
}

/** Runs what the arguments ask for and sets the exit code. */
export async function runProgram(argv: readonly string[], version: string): Promise<void> {
  watchOutput()
  // Node would end with 1, which says that nothing was found.
  process.once('uncaughtException', endAtOnce)
  try {
    process.exitCode = await main(argv, version)
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2
      return
    }
    endWith(messageOf(error))
    if (error instanceof Interrupted) {
      process.exitCode = 130
      return
    }
    if (!(error instanceof UserError) && process.env['CLEW_DEBUG']) console.error(error)
    process.exitCode = 2
  } finally {
    process.off('uncaughtException', endAtOnce)
  }
}

/** An error that no one awaits: in a handler of an event, or of a promise that was left alone. */
function endAtOnce(error: unknown): void {
  process.stderr.write(`${messageOf(error)}\n`)
  if (process.env['CLEW_DEBUG']) console.error(error)
  process.exit(2)
}
