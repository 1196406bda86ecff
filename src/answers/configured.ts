// What config.json in Clew's own folder says now: read and checked here alone, for commands, the server and the library. A
// value that cannot be used counts as not set and is named in `faults`. Which keys there are is declared in settings.ts.

import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { type ArchiveSetting, archiveSettingIn, hasArchive } from '../archive/store/mode.ts'
import { asString, isObject, type JsonObject } from '../base/json.ts'
import { ConfigError, configPath, readConfigFile } from '../disk/config-file.ts'
import { expandTilde } from '../disk/discover/homes.ts'
import { readWeekStart } from '../usage/calendar.ts'
import type { Clew } from './clew.ts'
import { latest } from './memo.ts'
import { configFaults, timezoneFault } from './settings.ts'
import type { Theme } from './shapes.ts'

export interface Settings {
  /** What is read where nothing is named; as it was written. */
  roots: readonly string[]
  /** Working directories and files that are not archived. */
  exclude: readonly string[]
  /** An IANA name; absent: the machine's own zone. */
  timezone?: string
  /** When Clew archives by itself: never where that or `exclude` cannot be understood, since they may forbid it. */
  archive: ArchiveSetting
  theme: Theme
  /** A file of prices, or prices. */
  prices?: string | JsonObject
  /** The model at whose prices unknown ones are priced. */
  unknownAs?: string
  /** From 0 for Sunday. */
  weekStart: number
  /** The file cannot be read: nothing of it counts. */
  isBroken: boolean
  /** What keeps everything from being archived: what the file says of it cannot be understood. */
  archiveFaults: readonly string[]
  /** What is wrong with the file or its values, a sentence each. */
  faults: readonly string[]
}

const monday = 1
const unclear: ArchiveSetting = { mode: 'manual', isChosen: true }

const settingsAt = latest<string, Settings>()

/** Read again only where the file, or whether there is an archive, changed. */
export function settingsOf({ home }: Pick<Clew, 'home'>): Settings {
  return settingsAt(home, stateOf(home), () => readSettings(home))
}

/** Another text after every change. */
export function stateOf(home: string): string {
  return `${fileState(configPath(home))} ${hasArchive(home)}`
}

/** Another text after every change of a file; empty where it is not there. */
export function fileState(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return ''
  }
}

function readSettings(home: string): Settings {
  try {
    return settingsIn(readConfigFile(home), home)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const faults = [error.message]
    return { ...settingsIn({}, home), archive: unclear, isBroken: true, archiveFaults: faults, faults }
  }
}

function settingsIn(config: JsonObject, home: string): Settings {
  const { prices, theme } = config
  const archiveFaults = configFaults(config, ['archive', 'exclude'])
  const settings: Settings = {
    roots: textsOf(config['roots']),
    exclude: textsOf(config['exclude']).map(path => expandTilde(path, homedir())),
    archive: archiveFaults.length > 0 ? unclear : archiveSettingIn(config, home),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    weekStart: readWeekStart(asString(config['weekStart']) ?? '') ?? monday,
    isBroken: false,
    archiveFaults,
    faults: configFaults(config),
  }
  if (typeof prices === 'string' || isObject(prices)) settings.prices = prices
  const unknownAs = asString(config['unknownAs'])
  if (unknownAs !== undefined) settings.unknownAs = unknownAs
  const timezone = asString(config['timezone'])
  if (timezone !== undefined && timezoneFault(timezone) === undefined) settings.timezone = timezone
  return settings
}

/** One text is a list of one. */
function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap(text => asString(text) || [])
}
