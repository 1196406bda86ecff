// Where along a session its prompts, failures, compactions and subagents are, from rows: for pictures of sessions in lists.
// It opens no log. Places are thousandths of the main thread's length, in events.

import { isNamedByClaudeCode } from '../../model/agent.ts'
import { errorMessageKinds } from '../../model/event.ts'
import { flagsToNumber, kindToNumber, outcomes } from '../ingest/rows.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

export interface ThreadMarks {
  prompts: number[]
  /** Messages that are errors and tool results that failed, those of subagents at the time when they happened. */
  failures: number[]
  compactions: number[]
  /** From the first to the last event of each. */
  subagents: [from: number, to: number][]
}

const wholeThread = 1000
/** More cannot be distinguished in a small picture. */
const mostMarks = 60
const mostAgentFiles = 24
/** A compaction is a border and its summary: records this close are of one. */
const besideEvents = 4

const isNoCopy = `NOT event.flags & ${flagsToNumber(['copy'])}`
const errorFlag = flagsToNumber(['error'])
const failed = outcomes.indexOf('failed')
const human = 0

/** Null where the index has no event of its main thread. */
export function threadMarks(db: Database, session: string): ThreadMarks | null {
  return new MarkReader(db, session).read()
}

interface Stretch {
  /** Ids of its events, from the first to behind the last. */
  from: number
  to: number
  /** How many events of the main thread are before it. */
  before: number
}

class MarkReader {
  private readonly db: Database
  private readonly session: string
  private readonly mains: Stretch[] = []
  private readonly agents: Stretch[] = []
  private length = 0

  constructor(db: Database, session: string) {
    this.db = db
    this.session = session
    const sql = `SELECT file.id, file.events + file.tail, file.role FROM session_log
      JOIN file ON file.generation = session_log.generation WHERE session_log.session = ? ORDER BY session_log.n`
    for (const [id, events, role] of db.prepare(sql).all([session])) {
      const from = Number(id) * eventsPerFile
      const stretch = { from, to: from + Number(events), before: this.length }
      if (role !== 'session') this.agents.push(stretch)
      else {
        this.mains.push(stretch)
        this.length += Number(events)
      }
    }
  }

  read(): ThreadMarks | null {
    if (this.length === 0) return null
    const compactions = (['compaction', 'preserved', 'compact-summary'] as const).flatMap(kind => this.events(kind))
    return {
      prompts: this.scaled(this.events('prompt', `AND actor = ${human}`)),
      failures: this.scaled([...this.markedMessages(), ...this.failures(), ...this.agentFailures()]),
      compactions: this.scaled(apart(compactions)),
      subagents: this.subagents(),
    }
  }

  /** Places of the main thread's events of a kind. */
  private events(kind: Parameters<typeof kindToNumber>[0], and = ''): number[] {
    const sql = `SELECT id FROM event WHERE kind = ? AND id >= ? AND id < ? AND ${isNoCopy} ${and} ORDER BY id`
    return this.placesIn(this.mains, sql, [kindToNumber(kind)])
  }

  private markedMessages(): number[] {
    return errorMessageKinds.flatMap(kind => this.events(kind, `AND flags & ${errorFlag}`))
  }

  private failures(): number[] {
    const sql = `SELECT result.event FROM result JOIN event ON event.id = result.event
      WHERE result.outcome = ? AND result.event >= ? AND result.event < ? AND ${isNoCopy}`
    return this.placesIn(this.mains, sql, [failed])
  }

  private agentFailures(): number[] {
    const sql = `SELECT event.at FROM result JOIN event ON event.id = result.event
      WHERE result.outcome = ? AND result.event >= ? AND result.event < ? AND ${isNoCopy}`
    const statement = this.db.prepare(sql)
    return this.agents.slice(0, mostAgentFiles).flatMap(({ from, to }) =>
      statement
        .all([failed, from, to])
        .slice(0, mostMarks)
        .map(([at]) => this.placeAt(at as number | null)),
    )
  }

  private subagents(): [number, number][] {
    const sql = `SELECT started, ended, id FROM thread WHERE session = ? AND kind <> 'main' ORDER BY started, id`
    const rows = this.db.prepare(sql).all([this.session])
    const counted = rows.filter(([, , id]) => !isNamedByClaudeCode(String(id))).slice(0, mostAgentFiles)
    return counted.map(([started, ended]) => {
      const from = this.placeAt(started as number | null)
      return [this.scale(from), this.scale(Math.max(from, this.placeAt(ended as number | null)))]
    })
  }

  private placesIn(stretches: readonly Stretch[], sql: string, values: readonly SqlValue[]): number[] {
    const statement = this.db.prepare(sql)
    return stretches.flatMap(({ from, to, before }) =>
      statement.all([...values, from, to]).map(([id]) => before + Number(id) - from),
    )
  }

  /** The first event of the main thread that is not earlier; the end where there is none. */
  private placeAt(at: number | null): number {
    if (at === null) return 0
    const statement = this.db.prepare('SELECT id FROM event WHERE id >= ? AND id < ? AND at >= ? ORDER BY id LIMIT 1')
    for (const { from, to, before } of this.mains) {
      const found = statement.get([from, to, at])
      if (found !== undefined) return before + Number(found[0]) - from
    }
    return this.length
  }

  private scale(place: number): number {
    return Math.round((place / Math.max(1, this.length - 1)) * wholeThread)
  }

  /** Each place once, in order. */
  private scaled(places: readonly number[]): number[] {
    const marks = [...new Set(places.map(place => Math.min(wholeThread, this.scale(place))))].sort((a, b) => a - b)
    if (marks.length <= mostMarks) return marks
    return Array.from({ length: mostMarks }, (_, at) => marks[Math.floor((at * marks.length) / mostMarks)] ?? 0)
  }
}

function apart(places: readonly number[]): number[] {
  const kept: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const place of [...places].sort((a, b) => a - b)) {
    if (place - last > besideEvents) kept.push(place)
    last = place
  }
  return kept
}
