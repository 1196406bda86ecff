// Whether Claude Code has a session open: it writes a file about itself into `<home>/sessions` while it runs. The files are
// only read, and trusted for nothing but this question.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { asNumber, asString, isObject, parseJson } from '../base/json.ts'
import { isAlive } from '../files/lock.ts'

/** The process that has this session open; null where none has. */
export function sessionInUse(home: string, session: string): number | null {
  return findClient(home, text => concerns(text, session))
}

/** The process of any Claude Code that works in this home. */
export function homeInUse(home: string): number | null {
  return findClient(home, () => true)
}

function findClient(home: string, isMeant: (text: string) => boolean): number | null {
  const folder = join(home, 'sessions')
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    if (!name.endsWith('.json')) continue
    const text = attempt(() => readFileSync(join(folder, name), 'utf8'))
    if (text === undefined || !isMeant(text)) continue
    const pid = pidOf(name, text)
    if (pid !== null && isAlive(pid)) return pid
  }
  return null
}

/** Claude Code does not write these files at once, so that half of one may be there: the id in it is enough. */
function concerns(text: string, session: string): boolean {
  const value = parseJson(text)
  return isObject(value) ? asString(value['sessionId']) === session : text.includes(`"${session}"`)
}

/** As the file says, else as it is called: `4711.json`. */
function pidOf(name: string, text: string): number | null {
  const value = parseJson(text)
  const stated = isObject(value)
    ? asNumber(value['pid'])
    : Number(/"pid"\s*:\s*(\d+)\s*,/.exec(text)?.[1] ?? Number.NaN)
  const pid =
    stated === undefined || Number.isNaN(stated) ? Number(/^(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN) : stated
  // Zero and negative numbers mean groups of processes.
  return Number.isSafeInteger(pid) && pid > 0 && pid <= 0x7fffffff ? pid : null
}
