// `clew config`: shows and changes what is set once.

import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import { type CommandDeclaration, type CommandInput, type ExitCode, type GlobalOptions, UserError } from '../command.ts'
import { configKey, configKeys, configPath, ownHome, readConfig, toConfigValue, writeConfig } from '../config.ts'
import { printJson, printLine } from '../terminal/output.ts'

export const declaration: CommandDeclaration = {
  argument: {
    name: '[words...]',
    description: '`list`, `path`, `get KEY`, `set KEY VALUE…`, `unset KEY`; `list` when absent',
  },
  description:
    'Reads and writes config.json in the folder where Clew keeps its own files. Keys: roots, exclude (lists), timezone, archive (auto, manual, off), prices, statusline. What a command line or the environment says counts more.',
  options: [],
  examples: [
    ['clew config', 'all keys with their values'],
    ['clew config set timezone Europe/Berlin', 'times in that zone from now on'],
    ['clew config path', 'where the file lies'],
  ],
}

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [verb = 'list', ...words] = args
  const home = ownHome(options['home'])
  switch (verb) {
    case 'list':
      tooMany(words, 0)
      return list(home, globals)
    case 'path':
      tooMany(words, 0)
      if (globals.json) await printJson({ path: configPath(home) })
      else await printLine(escapeForLine(configPath(home)))
      return 0
    case 'get':
      tooMany(words, 1)
      return get(home, words[0], globals)
    case 'set': {
      const key = configKey(words[0])
      const value = toConfigValue(key, words.slice(1))
      writeConfig(home, key.name, value)
      return tell(key.name, value, globals)
    }
    case 'unset': {
      tooMany(words, 1)
      const key = configKey(words[0])
      writeConfig(home, key.name, undefined)
      return tell(key.name, null, globals)
    }
    default:
      throw new UserError(`config knows list, path, get, set and unset, not "${verb}"`)
  }
}

function tooMany(words: readonly string[], most: number): void {
  if (words.length > most) throw new UserError(`too many words: "${words.slice(most).join(' ')}"`)
}

async function get(home: string, name: string | undefined, globals: GlobalOptions): Promise<ExitCode> {
  const key = configKey(name)
  const value = readConfig(home)[key.name]
  if (globals.json) await printJson({ key: key.name, value: value ?? null })
  else for (const text of textsOf(value)) await printLine(escapeForLine(text))
  return value === undefined ? 1 : 0
}

async function tell(name: string, value: unknown, globals: GlobalOptions): Promise<ExitCode> {
  if (globals.json) await printJson({ key: name, value })
  else await printLine(value === null ? `${name} is not set any more` : `${name} is ${line(value)}`)
  return 0
}

async function list(home: string, globals: GlobalOptions): Promise<ExitCode> {
  const config = readConfig(home)
  if (globals.json) {
    await printJson({ path: configPath(home), config })
    return 0
  }
  const columns = outputWidth()
  const known = new Set(configKeys.map(key => key.name))
  for (const { name, description, choices } of configKeys) {
    const value = config[name]
    const hint = choices === undefined ? description : `${description}: ${choices.join(', ')}`
    const text =
      value === undefined ? pc.dim(cutToColumns(hint, columns - 12)) : cutToColumns(line(value), columns - 12)
    await printLine(`${name.padEnd(12)}${text}`)
  }
  for (const name of Object.keys(config))
    if (!known.has(name))
      await printLine(cutToColumns(`${escapeForLine(name)}: not known to this version, kept`, columns))
  return 0
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map(String) : [typeof value === 'string' ? value : JSON.stringify(value)]
}

function line(value: unknown): string {
  return escapeForLine(textsOf(value).join(', '))
}
