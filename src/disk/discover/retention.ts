// When the client will delete a session: it removes files that were not changed for a number of days, which its settings
// name. Nothing is deleted here.

import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { asNumber, asObject, parseJson } from '../../base/json.ts'
import type { SessionFiles } from '../../model/source.ts'

/** What the client takes when its settings say nothing. */
export const defaultCleanupDays = 30

const dayMs = 86_400_000
// The last moment that a date can name.
const lastMs = 8.64e15

/** The home whose `projects` folder a session file lies in; null for a file elsewhere. */
export function homeOfLog(path: string): string | null {
  const projects = dirname(dirname(resolve(path)))
  return basename(projects) === 'projects' ? dirname(projects) : null
}

/** `cleanupPeriodDays` of a home's settings. */
export function cleanupDays(home: string): number {
  let text: string
  try {
    text = readFileSync(join(home, 'settings.json'), 'utf8')
  } catch {
    return defaultCleanupDays
  }
  const days = asNumber(asObject(parseJson(text))?.['cleanupPeriodDays'])
  return days === undefined || days < 0 ? defaultCleanupDays : days
}

/** Tells of sessions when they will be deleted, reading every home's settings once. */
export class Retention {
  private readonly days = new Map<string, number>()

  /** Milliseconds since 1970; undefined where the client will not, or it is not known. */
  deletedOn(session: SessionFiles): number | undefined {
    let last: number | undefined
    for (const log of session.logs) {
      // What is only in the archive is out of the client's reach.
      const home = log.role === 'session' && log.isKept !== true ? homeOfLog(log.path) : null
      if (home === null) continue
      const at = log.modifiedMs + this.daysOf(home) * dayMs
      if (at <= lastMs && (last === undefined || at > last)) last = at
    }
    return last
  }

  private daysOf(home: string): number {
    let days = this.days.get(home)
    if (days === undefined) {
      days = cleanupDays(home)
      this.days.set(home, days)
    }
    return days
  }
}
