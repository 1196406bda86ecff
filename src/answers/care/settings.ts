// The settings screen: what people set once, as far as the app may change it. Values are checked and stored as `clew config`
// does; keys that name files to read stay out of reach.

import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { badRequest, forbidden } from '../error.ts'
import { storeSetting } from '../settings.ts'
import type { SettingsAnswer } from '../shapes.ts'

/** Keys that the app may change. */
const changeable = ['theme', 'timezone', 'archive', 'exclude'] as const
const mostExcluded = 200

export function settingsAnswer(clew: Clew): SettingsAnswer {
  const { theme, timezone, archive, exclude } = settingsOf(clew)
  return {
    theme,
    ...(timezone !== undefined && { timezone }),
    machineTimezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    archive,
    exclude: [...exclude],
    isReadOnly: clew.isReadOnly,
  }
}

/** `value`: lines are several values; empty: as if it was never set. */
export function changeSetting(clew: Clew, key: string, value: string): void {
  if (clew.isReadOnly) throw forbidden('Nothing can be changed here.', 'clew serve runs with --read-only-token.')
  if (!changeable.some(name => name === key)) {
    throw badRequest(`"${key.slice(0, 64)}" cannot be changed here.`, 'Use `clew config` in a terminal.')
  }
  const values = value.split('\n').filter(line => line.trim() !== '')
  if (values.length > mostExcluded) throw badRequest(`"${key}" has at most ${mostExcluded} values.`)
  storeSetting(clew.home, key, values)
  if (key !== 'timezone') return
  const { timezone } = settingsOf(clew)
  if (timezone === undefined) delete clew.timezone
  else clew.timezone = timezone
}
