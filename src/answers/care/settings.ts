// The settings screen: what people set once, as far as the app may change it. Values are checked and stored by the store,
// which is what `clew config` uses; keys that name files to read stay out of reach.

import { archiveSetting } from '../../archive/store/mode.ts'
import { attempt } from '../../base/attempt.ts'
import { asArray, asString, type JsonObject } from '../../base/json.ts'
import { badRequest, conflict } from '../error.ts'
import type { Scope } from '../scope.ts'
import type { SettingsAnswer, Theme } from '../shapes.ts'

export interface SettingsStore {
  read(): JsonObject
  /** No values: the key is removed. Throws an error whose message says what is wrong with a value. */
  write(key: string, values: readonly string[]): void
}

/** Keys that the app may change. */
const changeable = ['theme', 'timezone', 'archive', 'exclude'] as const
const mostExcluded = 200

export function settingsAnswer(scope: Scope, store: SettingsStore | undefined): SettingsAnswer {
  const config = attempt(() => store?.read()) ?? {}
  const timezone = asString(config['timezone'])
  const answer: SettingsAnswer = {
    theme: themeOf(config),
    machineTimezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    archive: attempt(() => archiveSetting(scope.home)) ?? { mode: 'manual', isChosen: false },
    exclude: asArray(config['exclude']).flatMap(path => asString(path) ?? []),
    isReadOnly: scope.isReadOnly || store === undefined,
  }
  if (timezone !== undefined) answer.timezone = timezone
  return answer
}

/** How the app looks. */
function themeOf(config: JsonObject): Theme {
  const { theme } = config
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** `value`: lines are several values; empty: as if it was never set. */
export function changeSetting(store: SettingsStore | undefined, key: string, value: string): void {
  if (store === undefined) throw conflict('Settings cannot be changed here.', 'Use `clew config` in a terminal.')
  if (!changeable.some(name => name === key)) {
    throw badRequest(`"${key.slice(0, 64)}" cannot be changed here.`, 'Use `clew config` in a terminal.')
  }
  const values = value.split('\n').filter(line => line.trim() !== '')
  if (values.length > mostExcluded) throw badRequest(`"${key}" has at most ${mostExcluded} values.`)
  try {
    store.write(key, values)
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}
