// Somebody who reads an index while others write it: looks again and again, and notes what does not fit together within one
// look, and what was there in an earlier one and is gone.

import { setTimeout as pause } from 'node:timers/promises'
import { openToRead } from '../../src/index/store/open.ts'
import type { Database } from '../../src/index/store/port.ts'
import { eventsPerFile } from '../../src/index/store/schema.ts'

export interface Seen {
  looks: number
  /** Looks that showed something else than the one before. */
  changes: number
  problems: string[]
}

/** Each must find nothing, whenever it is asked. */
const questions: Readonly<Record<string, string>> = {
  'a session without its files': `SELECT session FROM session_log
    WHERE generation NOT IN (SELECT generation FROM file)`,
  'a session that names no file': 'SELECT id FROM session WHERE id NOT IN (SELECT session FROM session_log)',
  'an event without its file': `SELECT id FROM event WHERE id / ${eventsPerFile} NOT IN (SELECT id FROM file)`,
  'a file with more or fewer events than it says': `SELECT generation FROM file WHERE events + tail <>
    (SELECT count(*) FROM event WHERE event.id >= file.id * ${eventsPerFile} AND event.id < (file.id + 1) * ${eventsPerFile})`,
  'an event whose text is gone': 'SELECT event FROM text_event WHERE text NOT IN (SELECT id FROM text)',
  'a text that no event holds': 'SELECT id FROM text WHERE id NOT IN (SELECT text FROM text_event)',
  'a text without words': 'SELECT id FROM text WHERE id NOT IN (SELECT id FROM words_docsize)',
  'a part of an event that is gone': `SELECT event FROM (SELECT event FROM message UNION ALL SELECT event FROM call
    UNION ALL SELECT event FROM result UNION ALL SELECT event FROM text_event) WHERE event NOT IN (SELECT id FROM event)`,
}

const counted = ['file', 'event', 'text', 'session', 'message'] as const

export class Reader {
  private readonly home: string
  private readonly seen: Seen = { looks: 0, changes: 0, problems: [] }
  private before: number[] = []

  constructor(home: string) {
    this.home = home
  }

  async readFor(ms: number): Promise<Seen> {
    const end = Date.now() + ms
    do {
      this.look()
      await pause(3)
    } while (Date.now() < end && this.seen.problems.length < 5)
    return this.seen
  }

  private look(): void {
    const db = openToRead(this.home)
    if (db === null) {
      if (this.before.length > 0) this.seen.problems.push('the index is gone')
      return
    }
    try {
      db.exec('BEGIN')
      this.compare(db)
      this.seen.looks++
    } finally {
      db.close()
    }
  }

  private compare(db: Database): void {
    const { problems } = this.seen
    for (const [what, sql] of Object.entries(questions)) {
      const [first] = db.prepare(sql).all()
      if (first !== undefined) problems.push(`${what}: ${first[0]}`)
    }
    const now = counted.map(table => Number(db.prepare(`SELECT count(*) FROM ${table}`).get()?.[0]))
    for (const [at, count] of now.entries()) {
      const before = this.before[at] ?? 0
      if (count < before) problems.push(`${counted[at]}: ${count} rows, ${before} before`)
    }
    if (now.join() !== this.before.join()) this.seen.changes++
    this.before = now
  }
}
