// Which sessions may be kin of one: those that share ids with it, that it goes on from, or that name it. How they are linked
// is decided from their digests; here they are only found.

import type { BranchSummary, SessionDigest } from '../../model/session.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

/**
 * Sessions that hold records or answers of this one, or the records that it goes on from; that go on from it; that it names,
 * or that name it. Ids of events and messages stand in no index of their own, since they are looked for only here: this goes
 * over all of them once.
 */
export function kinOf(db: Database, digest: SessionDigest): Set<string> {
  const found = new Set<string>()
  const inFile = (ids: string) => `SELECT DISTINCT session_log.session FROM session_log
    JOIN file ON file.generation = session_log.generation WHERE file.id IN (${ids})`
  const events = `SELECT DISTINCT id / ${eventsPerFile} FROM event WHERE uuid IN (SELECT value FROM json_each(?))`
  add(found, db, inFile(events), [...digest.uuids, ...digest.missingParents])
  const messages = `SELECT DISTINCT event / ${eventsPerFile} FROM message WHERE id IN (SELECT value FROM json_each(?))`
  add(found, db, inFile(messages), digest.messageIds)
  const stated = (kinds: string) => `SELECT DISTINCT session FROM digest
    WHERE value IN (SELECT value FROM json_each(?)) AND what IN (${kinds})`
  add(found, db, stated("'missing'"), digest.uuids)
  add(found, db, stated("'other', 'forked', 'continued'"), [digest.session])
  const named = 'SELECT id FROM session WHERE id IN (SELECT value FROM json_each(?))'
  add(found, db, named, [...digest.otherSessions, ...digest.forkedFrom, ...digest.continuedIn])
  found.delete(digest.session)
  return found
}

function add(found: Set<string>, db: Database, sql: string, values: readonly string[]): void {
  if (values.length === 0) return
  for (const [session] of db.prepare(sql).all([JSON.stringify(values)])) found.add(session as string)
}

/** Titles of branches that the other sessions of these folders hold, in the order of the sessions' ids. */
export function summariesBeside(db: Database, session: string, folders: readonly string[]): BranchSummary[] {
  const sql = `SELECT DISTINCT session.id, session.summaries FROM folder JOIN session ON session.id = folder.session
    WHERE folder.path IN (SELECT value FROM json_each(?)) AND session.id <> ? AND session.summaries <> '[]'
    ORDER BY session.id`
  const rows = db.prepare(sql).all([JSON.stringify(folders), session])
  return rows.flatMap(([, json]) => JSON.parse(json as string) as BranchSummary[])
}
