// `clew config`: shows and changes what is set once.

import pc from 'picocolors'
import { UserError } from '../../answers/error.ts'
import {
  configKey,
  configKeys,
  ownHome,
  readConfig,
  settingsPath,
  toConfigValue,
  writeConfig,
} from '../../answers/settings.ts'
import { escapeForLine } from '../../base/escape.ts'
import { cutToColumns } from '../../base/width.ts'
import { wrapWords } from '../../render/terminal/charts.ts'
import { outputWidth } from '../../render/terminal/style.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { printJson, printLine } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [verb = 'list', ...words] = args
  const home = ownHome(options['home'])
  switch (verb) {
    case 'list':
      tooMany(words, 0)
      return list(home, globals)
    case 'path':
      tooMany(words, 0)
      if (globals.json) await printJson({ path: settingsPath(home) })
      else await printLine(escapeForLine(settingsPath(home)))
      return 0
    case 'get':
      tooMany(words, 1)
      return get(home, words[0], globals)
    case 'set': {
      const key = configKey(words[0])
      const value = toConfigValue(key, words.slice(1))
      writeConfig(home, key.name, value)
      return printValue(key.name, value, globals)
    }
    case 'unset': {
      tooMany(words, 1)
      const key = configKey(words[0])
      writeConfig(home, key.name, undefined)
      return printValue(key.name, null, globals)
    }
    default:
      throw new UserError(`unknown command "${verb}"; use list, path, get, set or unset`)
  }
}

function tooMany(words: readonly string[], most: number): void {
  if (words.length > most) throw new UserError(`too many arguments: "${words.slice(most).join(' ')}"`)
}

async function get(home: string, name: string | undefined, globals: GlobalOptions): Promise<ExitCode> {
  const key = configKey(name)
  const value = readConfig(home)[key.name]
  if (globals.json) await printJson({ key: key.name, value: value ?? null })
  else for (const text of textsOf(value)) await printLine(escapeForLine(text))
  return value === undefined ? 1 : 0
}

async function printValue(name: string, value: unknown, globals: GlobalOptions): Promise<ExitCode> {
  if (globals.json) await printJson({ key: name, value })
  else await printLine(value === null ? `${name} unset` : `${name} set to ${line(value)}`)
  return 0
}

async function list(home: string, globals: GlobalOptions): Promise<ExitCode> {
  const config = readConfig(home)
  if (globals.json) {
    await printJson({ path: settingsPath(home), config })
    return 0
  }
  const columns = outputWidth()
  const known = new Set(configKeys.map(key => key.name))
  const indent = ' '.repeat(keyColumns)
  for (const { name, description, choices } of configKeys) {
    const values = textsOf(config[name]).map(escapeForLine)
    const shown = values.length === 0 ? [pc.dim('not set')] : values.map(value => pc.bold(value))
    await printLine(`${name.padEnd(keyColumns)}${shown.join(`\n${indent}`)}`)
    const hint = choices === undefined ? description : `${description}: ${choices.join(', ')}`
    for (const text of wrapWords(hint, Math.max(20, columns - keyColumns))) await printLine(pc.dim(indent + text))
  }
  for (const name of Object.keys(config))
    if (!known.has(name)) await printLine(cutToColumns(`${escapeForLine(name)}: unknown to this version`, columns))
  return 0
}

const keyColumns = Math.max(...configKeys.map(({ name }) => name.length)) + 2

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map(String) : [typeof value === 'string' ? value : JSON.stringify(value)]
}

function line(value: unknown): string {
  return escapeForLine(textsOf(value).join(', '))
}
