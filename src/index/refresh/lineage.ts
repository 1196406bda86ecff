// What sessions copied from each other, kept up with the rows: sessions that changed are compared with those that they share
// records or answers with, and no others. Who copied what is decided in `graph/lineage`; here only who is compared with whom.

import { copiedParts, EventDigest } from '../../graph/lineage/lineage.ts'
import { type SessionId, sessionId } from '../../model/ids.ts'
import type { CopiedPart, SessionDigest } from '../../model/session.ts'
import { lastChange, mainLogs, type SessionFiles } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { createMessageIndex, eventsPerFile } from '../store/schema.ts'
import { type FileIds, indexedSession, ProjectionReader, projectedFiles } from './projection.ts'

/** A session whose copied part is another one than its summary was made with. */
export interface ChangedPart {
  session: SessionFiles
  fileIds: FileIds
  part: CopiedPart | undefined
}

/** Compares the sessions that are due with their relatives. */
export function changedParts(db: Database): ChangedPart[] {
  const due = db.prepare('SELECT session FROM lineage_due').all()
  if (due.length === 0) return []
  createMessageIndex(db)
  const reader = new ProjectionReader(db, 'events')
  const families = familiesOf(
    db,
    due.map(([session]) => String(session)),
  )
  return families.flatMap(family => changedIn(family, db, reader))
}

function changedIn(family: readonly string[], db: Database, reader: ProjectionReader): ChangedPart[] {
  const members = family.map(id => ({ id: sessionId(id), ...indexedSession(db, id), before: storedPart(db, id) }))
  // Most sessions have no relatives, and say nothing of any.
  const mayCopy = family.length > 1 || family.some(id => statesFork(db, id))
  const digests = mayCopy ? members.map(({ id, session, fileIds }) => digestOf(id, session, fileIds, reader)) : []
  const parts = copiedParts(digests)
  return members.flatMap(({ id, session, fileIds, before }) => {
    const part = parts.get(id)
    const isSame = (before ?? null) === (part === undefined ? null : JSON.stringify(part))
    return isSame ? [] : [{ session, fileIds, part }]
  })
}

/** Undefined where it has copied nothing, or is no more. */
function storedPart(db: Database, id: string): string | undefined {
  const json = db.prepare('SELECT copied FROM session WHERE id = ?').get([id])?.[0]
  return typeof json === 'string' ? json : undefined
}

function statesFork(db: Database, id: string): boolean {
  return db.prepare("SELECT 1 FROM digest WHERE session = ? AND what = 'forked'").get([id]) !== undefined
}

function digestOf(id: SessionId, session: SessionFiles, fileIds: FileIds, reader: ProjectionReader): SessionDigest {
  const logs = mainLogs(session)
  const files = projectedFiles(reader, { ...session, logs }, fileIds, undefined)
  const digest = new EventDigest(id)
  for (const { events } of files) for (const event of events) digest.see(event)
  return digest.digest(lastChange(session))
}

const ofFrontier = '(SELECT value FROM json_each(?1))'
const inFile = (event: string, file: string) =>
  `${event} >= ${file}.id * ${eventsPerFile} AND ${event} < (${file}.id + 1) * ${eventsPerFile}`

/** Pairs of sessions of which the first is one of some: each statement shows one way in which they are related. */
const relations: readonly string[] = [
  // They begin with the same records or answers.
  `SELECT DISTINCT one.session, other.session FROM digest AS one
    JOIN digest AS other ON other.value = one.value AND other.what = one.what
    WHERE one.session IN ${ofFrontier} AND one.what IN ('uuid', 'message') AND other.session <> one.session`,
  // One names the other.
  `SELECT DISTINCT digest.session, session.id FROM digest JOIN session ON session.id = digest.value
    WHERE digest.session IN ${ofFrontier} AND digest.what IN ('other', 'forked')`,
  `SELECT DISTINCT value, session FROM digest WHERE value IN ${ofFrontier} AND what IN ('other', 'forked')`,
  // They have an answer in common, wherever it is.
  `SELECT DISTINCT session_log.session, there.session FROM session_log
    JOIN file AS here ON here.generation = session_log.generation
    JOIN message AS one ON ${inFile('one.event', 'here')}
    JOIN message AS other ON other.key = one.key AND NOT (${inFile('other.event', 'here')})
    JOIN file AS there ON there.id = other.event / ${eventsPerFile}
    WHERE session_log.session IN ${ofFrontier} AND there.session <> session_log.session`,
]

/** The same for sessions of which one was taken for a copy of the other: what they are now may not show that. */
const formerRelations: readonly string[] = [
  `SELECT copied ->> 'from', id FROM session WHERE copied IS NOT NULL AND copied ->> 'from' IN ${ofFrontier}`,
  `SELECT id, copied ->> 'from' FROM session WHERE copied IS NOT NULL AND id IN ${ofFrontier}`,
]

/**
 * The sessions that are due and those that were related to them, each with all that it is related to now, directly or through
 * others: former relations say who is compared again, and not with whom.
 */
function familiesOf(db: Database, due: readonly string[]): string[][] {
  const affected = relatedTo(db, due, formerRelations).flat()
  const exists = db.prepare('SELECT 1 FROM session WHERE id = ?')
  const families = relatedTo(db, affected, relations)
  return families.map(family => family.filter(id => exists.get([id]) !== undefined).sort())
}

/** Sessions with all that they are related to. */
function relatedTo(db: Database, some: readonly string[], kinds: readonly string[]): string[][] {
  const statements = kinds.map(sql => db.prepare(sql))
  const heads = new Map<string, string>()
  const headOf = (id: string): string => {
    let head = id
    for (let next = heads.get(head); next !== undefined && next !== head; next = heads.get(head)) head = next
    heads.set(id, head)
    return head
  }
  for (let frontier = [...some]; frontier.length > 0; ) {
    const found = new Set<string>()
    const ids = JSON.stringify(frontier)
    for (const id of frontier) headOf(id)
    for (const statement of statements) {
      for (const [one, other] of statement.all([ids]) as [string, string][]) {
        if (!heads.has(other)) found.add(other)
        const [head, second] = [headOf(one), headOf(other)]
        if (head !== second) heads.set(second, head)
      }
    }
    frontier = [...found]
  }
  const families = new Map<string, string[]>()
  for (const id of heads.keys()) {
    const head = headOf(id)
    const known = families.get(head)
    if (known) known.push(id)
    else families.set(head, [id])
  }
  return [...families.values()]
}
