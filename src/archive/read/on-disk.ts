// Tells of kept sessions whether they still lie on disk, by one look per log. It opens nothing.

import { lstatSync } from 'node:fs'
import type { Discovery } from '../../model/source.ts'
import type { KeptSession } from './sessions.ts'

/** Knows what was found alive; a session that was moved is known by its id. */
export class LiveSessions {
  private readonly changed = new Map<string, number>()

  constructor(discoveries: readonly Discovery[] = []) {
    for (const { sessions } of discoveries) {
      for (const { id, logs } of sessions) {
        for (const log of logs) if (log.isKept !== true) this.note(id, log.modifiedMs)
      }
    }
  }

  /** When the session was last changed on disk, milliseconds since 1970; null where it is not there any more. */
  changedMs(session: KeptSession): number | null {
    let last = this.changed.get(session.id) ?? null
    for (const { path } of session.files.logs) {
      const changedMs = changeOf(path, session.modifiedMs)
      if (changedMs !== null) last = Math.max(last ?? 0, changedMs)
    }
    return last
  }

  private note(id: string, modifiedMs: number): void {
    this.changed.set(id, Math.max(this.changed.get(id) ?? 0, modifiedMs))
  }
}

/** What cannot be looked at may still be there: it counts as there and unchanged. */
function changeOf(path: string, keptMs: number): number | null {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    return facts?.isFile() === true ? facts.mtimeMs : null
  } catch {
    return keptMs
  }
}
