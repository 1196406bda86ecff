// `clew completion`: scripts that complete commands, flags and their values, made from the declarations. Sessions are not
// completed: finding them would read the disk at every key.

import { UserError } from '../../answers/error.ts'
import type { CommandDeclaration, CommandInput, ExitCode, OptionDeclaration } from '../command.ts'
import { flagNames, globalOptions, takesValue } from '../options.ts'
import { printJson, printLine } from '../terminal/output.ts'

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof shells

export async function run({ args, globals, commands }: CommandInput): Promise<ExitCode> {
  const [shell, ...more] = args
  if (shell === undefined || !Object.hasOwn(shells, shell) || more.length > 0)
    throw new UserError('choose a shell: bash, zsh or fish')
  const script = shells[shell as Shell](commands)
  if (globals.json) await printJson({ shell, script })
  else await printLine(script.trimEnd())
  return 0
}

/** Words that may come first after a command: the choices of its argument, or what its description names in backquotes. */
function firstWords(command: CommandDeclaration): string[] {
  const { argument } = command
  if (argument === undefined) return []
  if (argument.choices !== undefined) return [...argument.choices]
  const named = [...argument.description.matchAll(/`([a-z][a-z-]*)(?: [^`]*)?`/g)].map(found => found[1] ?? '')
  return [...new Set(named)].filter(word => word !== '')
}

/** Whether its argument may be a path, by its own words; words in backquotes are typed as they are. */
function takesPaths(command: CommandDeclaration): boolean {
  const { name = '', description = '', choices } = command.argument ?? {}
  return choices === undefined && /path|file|folder|session/.test(`${name} ${description.replace(/`[^`]*`/g, '')}`)
}

/** Its name and its other names, which complete alike. */
function namesOf({ name, aliases = [] }: CommandDeclaration): string[] {
  return [name, ...aliases]
}

function flagsOf(options: readonly OptionDeclaration[]): string[] {
  return ['--help', ...options.flatMap(flagNames)]
}

/** Flags whose value is a path by their own words. */
function isPathFlag(option: OptionDeclaration): boolean {
  return /<(path|file|folder)>/.test(option.flags)
}

function bashScript(commands: readonly CommandDeclaration[]): string {
  const cases = commands.map(command => {
    const options = [...command.options, ...globalOptions]
    const words = firstWords(command).join(' ')
    const paths = takesPaths(command) ? '1' : ''
    return `    ${namesOf(command).join('|')}) flags=${quoted(flagsOf(options).join(' '))}; words=${quoted(words)}; paths=${paths} ;;`
  })
  const options = uniqueOptions(commands)
  const choices = options
    .filter(option => option.choices)
    .map(
      option =>
        `    ${flagNames(option).join('|')}) COMPREPLY=($(compgen -W ${quoted(option.choices?.join(' ') ?? '')} -- "$cur")); return ;;`,
    )
  const paths = options.filter(isPathFlag).flatMap(flagNames).join('|')
  const others = options
    .filter(option => takesValue(option) && !option.choices && !isPathFlag(option))
    .flatMap(flagNames)
  return `# clew completion for bash
_clew() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= flags= words= paths= i
  COMPREPLY=()
  case $prev in
${choices.join('\n')}
    ${paths}) compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${others.join('|') || '--'}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${commands.flatMap(namesOf).join('|')}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
${cases.join('\n')}
    *) flags=${quoted(['--version', ...flagsOf(globalOptions)].join(' '))}; words=${quoted(commands.map(command => command.name).join(' '))} ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ -n $paths ]]; then
      compopt -o filenames 2>/dev/null
      local IFS=$'\\n'
      COMPREPLY+=($(compgen -f -- "$cur"))
    fi
  fi
}
complete -F _clew clew
`
}

/** Every flag once; a flag means the same for every command. */
function uniqueOptions(commands: readonly CommandDeclaration[]): OptionDeclaration[] {
  const byFlags = new Map<string, OptionDeclaration>()
  for (const option of [...commands.flatMap(command => command.options), ...globalOptions]) {
    const name = flagNames(option).at(-1) ?? option.flags
    if (!byFlags.has(name)) byFlags.set(name, option)
  }
  return [...byFlags.values()]
}

/** For a shell: in single quotes, none left open. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function zshScript(commands: readonly CommandDeclaration[]): string {
  const names = commands.map(command => `    ${quoted(`${command.name}:${command.summary}`)}`)
  const cases = commands.map(command => {
    const specs = command.options.flatMap(zshSpecs)
    const rest = [
      ...firstWords(command).map(word => `compadd -- ${word}`),
      ...(takesPaths(command) ? ['_files'] : []),
    ].join('; ')
    const argument = `'*::argument:{ ${rest === '' ? ':' : rest} }'`
    return `      ${namesOf(command).join('|')}) _arguments -S $globals ${[...specs, argument].join(' ')} ;;`
  })
  return `#compdef clew
# clew completion for zsh
_clew() {
  local -a commands globals
  globals=(
${globalOptions
  .flatMap(zshSpecs)
  .map(spec => `    ${spec}`)
  .join('\n')}
  )
  commands=(
${names.join('\n')}
  )
  _arguments -C $globals '1:command:->command' '*::rest:->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
${cases.join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_clew" ]; then
  _clew "$@"
else
  compdef _clew clew
fi
`
}

function zshSpecs(option: OptionDeclaration): string[] {
  const description = option.description.replace(/[[\]:\\]/g, ' ')
  const action = option.choices ? `(${option.choices.join(' ')})` : isPathFlag(option) ? '_files' : ' '
  const value = takesValue(option) ? `:value:${action}` : ''
  return flagNames(option).map(name => quoted(`${option.isRepeatable ? '*' : ''}${name}[${description}]${value}`))
}

function fishScript(commands: readonly CommandDeclaration[]): string {
  const names = commands.flatMap(namesOf).join(' ')
  const lines = [
    '# clew completion for fish',
    'function __clew_no_command',
    `    not __fish_seen_subcommand_from ${names}`,
    'end',
    'complete -c clew -f',
  ]
  for (const { name, summary } of commands)
    lines.push(`complete -c clew -n __clew_no_command -a ${name} -d ${quoted(summary)}`)
  for (const option of globalOptions) lines.push(fishLine(option, undefined))
  for (const command of commands) {
    const seen = `__fish_seen_subcommand_from ${namesOf(command).join(' ')}`
    const words = firstWords(command)
    if (words.length > 0) lines.push(`complete -c clew -n ${quoted(seen)} -a ${quoted(words.join(' '))}`)
    if (takesPaths(command)) lines.push(`complete -c clew -n ${quoted(seen)} -F`)
    for (const option of command.options) lines.push(fishLine(option, seen))
  }
  return `${lines.join('\n')}\n`
}

function fishLine(option: OptionDeclaration, condition: string | undefined): string {
  const names = flagNames(option).map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const where = condition === undefined ? '' : `-n ${quoted(condition)} `
  const choices = option.choices ? ` -a ${quoted(option.choices.join(' '))}` : ''
  const value = takesValue(option) ? `${isPathFlag(option) ? ' -r -F' : ' -x'}${choices}` : ''
  return `complete -c clew ${where}${names.join(' ')}${value} -d ${quoted(option.description)}`
}
