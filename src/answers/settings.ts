// What people set once: the keys of config.json in Clew's own folder, and what values they take. The file itself is read and
// written by src/disk/config-file.ts. Nothing here touches a Claude home.

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { archiveModes } from '../archive/store/mode.ts'
import { attempt } from '../base/attempt.ts'
import { isObject, type JsonObject } from '../base/json.ts'
import { isLink, ownClewHome } from '../disk/clew-home.ts'
import { ConfigError, type ConfigValue, configPath, readConfigFile, writeConfigKey } from '../disk/config-file.ts'
import { claudeHomes, usualHomes } from '../disk/discover/homes.ts'
import { readWeekStart } from '../usage/calendar.ts'
import { UserError } from './error.ts'
import { layoutFault } from './statusline/settings.ts'

interface ConfigKey {
  name: string
  /** Takes any number of values. */
  isList?: boolean
  /** Its values are paths; relative ones are stored as absolute ones. */
  isPath?: boolean
  description: string
  choices?: readonly string[]
  /** What is wrong with a value, in words; undefined where nothing is. */
  fault?(value: string): string | undefined
}

export const configKeys: readonly ConfigKey[] = [
  { name: 'roots', isList: true, isPath: true, description: 'what to read without --root' },
  {
    name: 'exclude',
    isList: true,
    isPath: true,
    description: 'working directories and files that are not archived',
  },
  { name: 'timezone', description: 'time zone of printed times, such as Europe/Berlin', fault: timezoneFault },
  {
    name: 'archive',
    description: 'when to archive sessions (default: auto once there is an archive)',
    choices: archiveModes,
  },
  {
    name: 'theme',
    description: 'colours of the web app (default: system)',
    choices: ['system', 'light', 'dark'],
  },
  { name: 'prices', isPath: true, description: 'a file with model prices that override the bundled ones' },
  { name: 'unknownAs', description: 'price models without a price like this model' },
  { name: 'weekStart', description: 'first day of the week (default: monday)', fault: weekStartFault },
  {
    name: 'statusline',
    isList: true,
    description: 'parts of the status line in order, or a template with parts in braces',
    fault: layoutFault,
  },
  {
    name: 'statusline.session',
    description: 'source of the session cost in the status line (default: client)',
    choices: ['client', 'ours'],
  },
  {
    name: 'statusline.color',
    description: 'colours in the status line (default: always)',
    choices: ['always', 'never'],
  },
]

/** What is wrong with the name of a day of the week, in words; undefined where nothing is. */
export function weekStartFault(value: string): string | undefined {
  return readWeekStart(value) === null ? `Invalid weekday "${value}". Example: monday` : undefined
}

/** What is wrong with the name of a time zone, in words; undefined where nothing is. */
export function timezoneFault(value: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return undefined
  } catch {
    return `Invalid time zone "${value}". Examples: Europe/Berlin, UTC`
  }
}

/** That of this process; `named`: the value of `--home`. */
export function ownHome(named: unknown): string {
  return ownClewHome(typeof named === 'string' ? named : undefined)
}

/** What is in its place is no folder: no command can do with it what it is for. A missing one is made when it is needed. */
export function refuseUnusableHome(home: string): void {
  const what = `${home} is where Clew keeps its own files, but it is`
  const how = 'name another with --home or CLEW_HOME'
  // What a link leads to was taken instead.
  if (isLink(home)) throw new UserError(`${what} a link that leads nowhere; ${how}`)
  const found = attempt(() => statSync(home, { throwIfNoEntry: false }))
  if (found?.isDirectory() === false) throw new UserError(`${what} not a folder; ${how}`)
}

/** The Claude homes in question, as absolute paths: those that were named, else the usual ones; never the sample history. */
export function homesOf({ root }: { root: string[] }): string[] {
  return claudeHomes({ roots: root, env: process.env, homeDir: homedir() }).map(home => resolve(home))
}

/** The homes in question that are not there now: their disk may be away. */
export function missingHomesOf(clew: { root: string[] }): string[] {
  return [...usualHomes(homedir()), ...homesOf(clew)].filter(home => !existsSync(home)).map(home => resolve(home))
}

/** Where config.json is, or would be. */
export function settingsPath(home: string): string {
  return configPath(home)
}

/** The content of config.json; empty where there is none. */
export function readConfig(home: string): JsonObject {
  return asUserError(() => readConfigFile(home))
}

/** The key of that name; an error that lists all where there is none. */
export function configKey(name: string | undefined): ConfigKey {
  const found = configKeys.find(key => key.name === name)
  if (found) return found
  const list = configKeys.map(key => key.name).join(', ')
  throw new UserError(
    name === undefined ? `missing key; the keys are ${list}` : `unknown key "${name}"; the keys are ${list}`,
  )
}

/** The value to store for words from the command line. Throws an error that names valid values. */
export function toConfigValue(key: ConfigKey, words: readonly string[]): ConfigValue {
  const [first, ...more] = words
  if (first === undefined) throw new UserError(`missing value; to remove the key: clew config unset ${key.name}`)
  if (!key.isList && more.length > 0) throw new UserError(`${key.name} takes one value; quote a value with spaces`)
  for (const word of words) {
    const fault = wordFault(key, word)
    if (fault !== undefined) throw new UserError(fault)
  }
  const stored = (word: string) => (key.isPath && !word.startsWith('~') ? resolve(word) : word)
  return key.isList ? words.map(stored) : stored(first)
}

function wordFault(key: ConfigKey, word: string): string | undefined {
  if (word.trim() === '') return `${key.name} cannot be empty; to remove the key: clew config unset ${key.name}`
  if (key.choices?.includes(word) === false) {
    return `Invalid ${key.name} "${word}". Choices: ${key.choices.join(', ')}`
  }
  return key.fault?.(word)
}

/** Sets a key, or removes it. */
export function writeConfig(home: string, name: string, value: ConfigValue | undefined): void {
  asUserError(() => writeConfigKey(home, name, value))
}

/** Checks words and stores them; none remove the key. */
export function storeSetting(home: string, name: string, words: readonly string[]): void {
  const key = configKey(name)
  writeConfig(home, key.name, words.length === 0 ? undefined : toConfigValue(key, words))
}

/** What is wrong with the file is for people. */
export function asUserError<Value>(act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error
  }
}

/** What is wrong with the values of a config, a sentence each. Keys that this version does not know are left alone. */
export function configFaults(config: JsonObject, names = configKeys.map(({ name }) => name)): string[] {
  return configKeys.flatMap(key => {
    const isSet = names.includes(key.name) && config[key.name] !== undefined
    const fault = isSet ? storedFault(key, config[key.name]) : undefined
    return fault === undefined ? [] : [`${key.name} in the config: ${fault}`]
  })
}

function storedFault(key: ConfigKey, value: unknown): string | undefined {
  // Prices may be in the config itself.
  if (key.name === 'prices' && isObject(value)) return undefined
  const words = key.isList && Array.isArray(value) ? value : [value]
  if (!words.every(word => typeof word === 'string')) return `it is not ${key.isList ? 'a list of texts' : 'a text'}`
  return words.map(word => wordFault(key, word)).find(fault => fault !== undefined)
}
