import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sessionId } from '../../model/ids.ts'
import type { SessionDigest } from '../../model/session.ts'
import { Database } from '../store/port.ts'
import { createTables, eventsPerFile } from '../store/schema.ts'
import { kinOf, summariesInFolders } from './sessions.ts'

let db: Database

beforeEach(() => {
  db = new Database(':memory:')
  createTables(db)
})
afterEach(() => db.close())

function digest(session: string, facts: Partial<SessionDigest> = {}): SessionDigest {
  const none = {
    uuids: [],
    times: [],
    places: [],
    messages: [],
    forks: [],
    carries: [],
    events: [],
    messageIds: [],
    otherSessions: [],
    forkedFrom: [],
    continuedIn: [],
    missingParents: [],
  }
  return { session: sessionId(session), startedAt: null, endedAt: null, contents: [], summaries: [], ...none, ...facts }
}

function row(session: string, what: string, value: string): void {
  db.prepare('INSERT INTO digest (session, what, value) VALUES (?, ?, ?)').run([session, what, value])
}

function addSession(id: string, summaries: unknown[] = []): void {
  const sql = `INSERT INTO session (id, slug, fingerprint, files, facts, summaries, title, own)
    VALUES (?, 's', '', '{}', '{}', ?, '', '{}')`
  db.prepare(sql).run([id, JSON.stringify(summaries)])
}

/** A session with one file of one event, which may be an answer. */
function addFile(file: number, session: string, uuid: string, message?: string, at: number | null = null): void {
  const sql = `INSERT INTO file (id, generation, path, number, standing, role, size, modified)
    VALUES (?, ?, '', 1, 0, 'session', 0, 0)`
  const event = file * eventsPerFile + 7
  db.prepare(sql).run([file, `g${file}`])
  db.prepare('INSERT INTO session_log VALUES (?, 0, ?)').run([session, `g${file}`])
  db.prepare(`INSERT INTO event (id, at, offset, bytes, line, kind, actor, flags, uuid, origin)
    VALUES (?, ?, 0, 0, 1, 0, 0, 0, ?, 1)`).run([event, at, uuid])
  if (message !== undefined) db.prepare('INSERT INTO message (event, id) VALUES (?, ?)').run([event, message])
}

describe('kin of a session', () => {
  it('has records or answers that it has too, wherever in its files', () => {
    addFile(3, 'copy', 'u1')
    addFile(4, 'resumed', 'u7', 'msg_1')
    addFile(5, 'stranger', 'u9', 'msg_9')
    addFile(6, 'own', 'u1', 'msg_1')
    const own = digest('own', { uuids: ['u1', 'u2'], messageIds: ['msg_1'] })
    expect([...kinOf(db, own)].sort()).toEqual(['copy', 'resumed'])
  })

  it('has records at the same time as it, whatever else has that time', () => {
    const at = '2026-01-02T03:04:05.678Z'
    addFile(3, 'copy', 'u1', undefined, Date.parse(at))
    addFile(4, 'stranger', 'u8', undefined, Date.parse(at))
    expect([...kinOf(db, digest('own', { uuids: ['u1', 'u2'], times: [at, at] }))]).toEqual(['copy'])
  })

  it('begins with the same records, whatever their times', () => {
    row('restamped', 'uuid', 'u1')
    expect([...kinOf(db, digest('own', { uuids: ['u1'], times: ['2026-01-02T03:04:05.678Z'] }))]).toEqual(['restamped'])
  })

  it('has the record that it continues', () => {
    addFile(3, 'before', 'u1')
    expect([...kinOf(db, digest('own', { missingParents: ['u1'] }))]).toEqual(['before'])
  })

  it('continues from a record of it, or names it', () => {
    row('later', 'missing', 'u2')
    row('fork', 'forked', 'own')
    row('own', 'uuid', 'u1')
    expect([...kinOf(db, digest('own', { uuids: ['u1', 'u2'] }))].sort()).toEqual(['fork', 'later'])
  })

  it('is named by it, where it is known', () => {
    addSession('parent')
    const own = digest('own', { forkedFrom: ['parent'], continuedIn: ['unknown'] })
    expect([...kinOf(db, own)]).toEqual(['parent'])
  })
})

describe('titles of branches in other sessions of a folder', () => {
  it('are those that the other sessions of its folders have, by id', () => {
    const named = (leaf: string) => [{ leaf, title: `about ${leaf}` }]
    addSession('b', named('l2'))
    addSession('a', named('l1'))
    addSession('own', named('l3'))
    addSession('elsewhere', named('l4'))
    for (const [path, session] of [
      ['/p', 'a'],
      ['/p', 'b'],
      ['/p', 'own'],
      ['/q', 'elsewhere'],
    ] as const) {
      db.prepare('INSERT INTO folder VALUES (?, ?)').run([path, session])
    }
    expect(summariesInFolders(db, 'own', ['/p']).map(summary => summary.leaf)).toEqual(['l1', 'l2'])
  })
})
