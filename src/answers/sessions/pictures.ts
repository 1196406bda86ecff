// What a list shows of sessions besides their numbers, from the index: where along them things happened, and which belong
// together. Each is looked up once and again when it changed.

import { sessionFamilies } from '../../index/search/families.ts'
import { type ThreadMarks, threadMarks } from '../../index/search/thread-marks.ts'
import type { Database } from '../../index/store/port.ts'
import type { ListEntry } from './page-order.ts'

export interface Pictures {
  families: ReadonlyMap<string, readonly string[]>
  marksOf(entry: ListEntry): ThreadMarks | null
}

/** Without an index. */
export const noPictures: Pictures = { families: new Map(), marksOf: () => null }

/** Sessions whose marks are remembered. */
const mostHeld = 5_000

export class ListPictures {
  private version = ''
  private families: Pictures['families'] = new Map()
  private readonly marks = new Map<string, { state: string; marks: ThreadMarks | null }>()

  of(db: Database, version: string): Pictures {
    if (this.version !== version) {
      this.families = sessionFamilies(db)
      this.version = version
    }
    return { families: this.families, marksOf: entry => this.marksOf(db, entry) }
  }

  private marksOf(db: Database, { session, facts }: ListEntry): ThreadMarks | null {
    const state = `${facts.events} ${facts.endedAt} ${facts.errors} ${facts.subagents}`
    const known = this.marks.get(session.id)
    if (known?.state === state) return known.marks
    if (this.marks.size >= mostHeld) this.marks.clear()
    const marks = threadMarks(db, session.id)
    this.marks.set(session.id, { state, marks })
    return marks
  }
}
