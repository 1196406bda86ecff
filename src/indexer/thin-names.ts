// Texts and origins by their ids, looked up once: very many rows refer to few of them.

import { asObject, type JsonObject, parseJson } from '../base/json.ts'
import type { MessageFacts, Usage } from '../model/event.ts'
import { type SessionId, sessionId, type ThreadId, threadId } from '../model/ids.ts'
import type { Dialect } from '../model/record.ts'
import type { Database } from './port.ts'
import { numberToDialect } from './rows.ts'
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
    }
    this.origins.set(id, origin)
    return origin
  }

  /** Reads the row at a place of a message's columns, in the order of `thin-rows`. */
  addMessage(message: MessageFacts, columns: readonly (readonly (number | null)[])[], at: number): void {
    const model = this.name(columns[3]?.[at])
    const stop = this.name(columns[13]?.[at])
    const cost = columns[12]?.[at] ?? null
    const duration = columns[16]?.[at] ?? null
    if (model !== undefined) message.model = model
    if (stop !== undefined) message.stopReason = stop
    if (columns[11]?.[at] != null) message.usage = this.usage(columns, at)
    if (cost !== null) message.costUSD = cost
    if (duration !== null) message.durationMs = duration
  }

  private usage(columns: readonly (readonly (number | null)[])[], at: number): Usage {
    const usage: Usage = {
      inputTokens: columns[4]?.[at] ?? 0,
      outputTokens: columns[5]?.[at] ?? 0,
      cacheCreationTokens: columns[6]?.[at] ?? 0,
      cacheReadTokens: columns[7]?.[at] ?? 0,
      outputFinal: columns[11]?.[at] === 1,
    }
    const short = columns[8]?.[at] ?? null
    const long = columns[9]?.[at] ?? null
    const searches = columns[10]?.[at] ?? null
    const tier = this.name(columns[14]?.[at])
    const geo = this.name(columns[15]?.[at])
    if (short !== null) usage.cacheCreation5mTokens = short
    if (long !== null) usage.cacheCreation1hTokens = long
    if (searches !== null) usage.webSearches = searches
    if (tier !== undefined) usage.serviceTier = tier
    if (geo !== undefined) usage.inferenceGeo = geo
    return usage
  }
}
