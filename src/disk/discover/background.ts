// How far sessions in the background are (`claude --bg`): Claude Code writes it into `jobs/<id>/state.json` of its home. It is
// read when it is shown and stored nowhere, since it changes all the time.

import { readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { toInstant } from '../../base/instant.ts'
import { asObject, asString, parseJson } from '../../base/json.ts'
import { mainLogs, type SessionFiles } from '../../model/source.ts'
import { namesIn } from './homes.ts'

/** As Claude Code last wrote it: working, blocked, stopped, done… */
export interface Background {
  state: string
  at: string
  /** What it does, in its own words. */
  detail?: string
}

/** By the session's id; of the homes that the sessions are in. */
export function backgroundStates(sessions: readonly SessionFiles[]): ReadonlyMap<string, Background> {
  const homes = new Set<string>()
  for (const session of sessions) {
    const [home, ...rest] = (mainLogs(session)[0]?.path ?? '').split(`${sep}projects${sep}`)
    if (home !== undefined && rest.length > 0) homes.add(home)
  }
  const states = new Map<string, Background>()
  for (const home of homes) {
    for (const name of namesIn(join(home, 'jobs'))) {
      const found = readState(join(home, 'jobs', name, 'state.json'))
      if (found !== null) states.set(found.session, found.background)
    }
  }
  return states
}

/** A larger file is not one. */
const largest = 1024 * 1024

function readState(path: string): { session: string; background: Background } | null {
  try {
    if (statSync(path).size > largest) return null
    const value = asObject(parseJson(readFileSync(path, 'utf8')))
    const [session, state, at] = [value?.['sessionId'], value?.['state'], toInstant(value?.['updatedAt'])]
    if (typeof session !== 'string' || typeof state !== 'string' || at === null) return null
    const detail = asString(value?.['detail'])
    return { session, background: detail === undefined ? { state, at } : { state, at, detail } }
  } catch {
    // It may vanish or be half written at any time.
    return null
  }
}
