// Texts and origins by their ids, looked up once: very many rows refer to few of them.

import { asObject, type JsonObject, parseJson } from '../../base/json.ts'
import type { MessageFacts, Usage } from '../../model/event.ts'
import { type SessionId, sessionId, type ThreadId, threadId } from '../../model/ids.ts'
import type { Dialect } from '../../model/record.ts'
import { numberToDialect } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import type { Common } from './thin-facts.ts'

/** What the events of one origin have in common. */
export interface Origin {
  session: SessionId
  thread: ThreadId
  cwd: string | undefined
  gitBranch: string | undefined
  version: string | undefined
  dialect: Dialect
  wireType: string
  /** Fields of all its records. */
  fields: JsonObject
  /** True where the session is all that those say. */
  isPlain: boolean
}

export class ThinNames {
  private readonly db: Database
  private readonly names = new Map<number, string>()
  private readonly origins = new Map<number, Origin>()
  private lastId = -1
  private last: Origin | undefined

  constructor(db: Database) {
    this.db = db
  }

  name(id: number | null | undefined): string | undefined {
    if (id === null || id === undefined) return undefined
    const known = this.names.get(id)
    if (known !== undefined) return known
    const text = this.db.prepare('SELECT text FROM name WHERE id = ?').get([id])?.[0]
    if (typeof text !== 'string') return undefined
    this.names.set(id, text)
    return text
  }

  origin(id: number): Origin {
    if (id === this.lastId && this.last !== undefined) return this.last
    const origin = this.origins.get(id) ?? this.find(id)
    this.lastId = id
    this.last = origin
    return origin
  }

  private find(id: number): Origin {
    const sql = 'SELECT session, thread, cwd, branch, version, dialect, wire, common FROM origin WHERE id = ?'
    const row = (this.db.prepare(sql).get([id]) ?? []) as (number | null)[]
    const session = this.name(row[0]) ?? ''
    const { isSessionUnsaid, ...common } = (asObject(parseJson(this.name(row[7]) ?? '{}')) ?? {}) as Common
    const origin: Origin = {
      session: sessionId(session),
      thread: threadId(this.name(row[1]) ?? ''),
      cwd: this.name(row[2]),
      gitBranch: this.name(row[3]),
      version: this.name(row[4]),
      dialect: numberToDialect(Number(row[5])),
      wireType: this.name(row[6]) ?? '',
      fields: { ...common, ...(isSessionUnsaid !== true && { sessionId: session }) },
      isPlain: false,
    }
    origin.isPlain = Object.keys(origin.fields).length === 1 && isSessionUnsaid !== true
    this.origins.set(id, origin)
    return origin
  }

  /** The message at a place of its columns, in the order of `thin-rows`. */
  message(id: string, requestId: string | undefined, columns: readonly Numbers[], at: number): MessageFacts {
    const cost = columns[12]?.[at] ?? null
    return {
      id,
      requestId,
      model: this.name(columns[3]?.[at]),
      stopReason: this.name(columns[13]?.[at]),
      usage: columns[11]?.[at] == null ? undefined : this.usage(columns, at),
      costUSD: cost === null ? undefined : Number(cost),
      durationMs: columns[16]?.[at] ?? undefined,
    } as MessageFacts
  }

  private usage(columns: readonly Numbers[], at: number): Usage {
    return {
      inputTokens: columns[4]?.[at] ?? 0,
      outputTokens: columns[5]?.[at] ?? 0,
      cacheCreationTokens: columns[6]?.[at] ?? 0,
      cacheReadTokens: columns[7]?.[at] ?? 0,
      cacheCreation5mTokens: columns[8]?.[at] ?? undefined,
      cacheCreation1hTokens: columns[9]?.[at] ?? undefined,
      webSearches: columns[10]?.[at] ?? undefined,
      serviceTier: this.name(columns[14]?.[at]),
      inferenceGeo: this.name(columns[15]?.[at]),
      outputFinal: columns[11]?.[at] === 1,
    } as Usage
  }
}

type Numbers = readonly (number | null)[]
