import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../store/port.ts'
import { createTables } from '../store/schema.ts'
import { indexedSessions, isWithin, latestSessions, sessionsNamed } from './sessions.ts'

let db: Database

beforeEach(() => {
  db = new Database(':memory:')
  createTables(db)
})
afterEach(() => db.close())

/** A session with a log at each path. */
function add(id: string, ...paths: string[]): void {
  const files = JSON.stringify({ id, slug: 's', logs: paths.map(path => ({ path, role: 'session' })), side: [] })
  const sql = `INSERT INTO session (id, slug, fingerprint, files, facts, summaries, title, own)
    VALUES (?, 's', '', ?, ?, '[]', '', '{}')`
  db.prepare(sql).run([id, files, JSON.stringify({ id, title: `about ${id}` })])
}

const below = (root: string) => (path: string) => path.startsWith(root)

describe('the sessions that are indexed', () => {
  it('are given with their files and facts', () => {
    add('a', '/one/a.jsonl')
    add('b', '/two/b.jsonl')
    const found = indexedSessions(db) ?? []
    expect(found.map(({ session, facts }) => [session.logs[0]?.path, facts.title])).toEqual([
      ['/one/a.jsonl', 'about a'],
      ['/two/b.jsonl', 'about b'],
    ])
  })

  it('are only those in scope, where there is one', () => {
    add('a', '/one/a.jsonl')
    add('b', '/two/b.jsonl')
    expect(indexedSessions(db, below('/two'))?.map(({ session }) => session.id)).toEqual(['b'])
    expect(indexedSessions(db, below('/three'))).toEqual([])
  })

  it('give no answer where one is partly in scope', () => {
    add('a', '/one/a.jsonl', '/two/a.jsonl')
    expect(indexedSessions(db, below('/two'))).toBeNull()
    expect(indexedSessions(db)).toHaveLength(1)
  })

  it('that a text may name begin with it, by id or by a file, in any case', () => {
    add('Abc-1', '/one/x.jsonl')
    add('abd-2', '/one/y.jsonl')
    add('z', '/two/abc.jsonl')
    db.exec(`INSERT INTO session_log VALUES ('z', 0, 'live:z')`)
    db.exec(`INSERT INTO file (id, generation, path, number, standing, role, name_session, size, modified)
      VALUES (1, 'live:z', '/two/abc.jsonl', 1, 0, 'session', 'ABC', 0, 0)`)
    const named = (text: string, root = '/') => sessionsNamed(db, text, below(root))?.map(({ session }) => session.id)
    expect(named('aBc')).toEqual(['Abc-1', 'z'])
    expect(named('abc', '/one')).toEqual(['Abc-1'])
    expect(named('abx')).toEqual([])
  })

  it('that are the latest have the last record in scope, all of them where times are equal', () => {
    add('a', '/one/a.jsonl')
    add('b', '/one/b.jsonl')
    add('c', '/two/c.jsonl')
    add('d', '/one/d.jsonl')
    db.exec(`UPDATE session SET ended = 5 WHERE id IN ('a', 'b')`)
    db.exec(`UPDATE session SET ended = 9 WHERE id = 'c'`)
    const latest = (root: string) => latestSessions(db, below(root))?.map(({ session }) => session.id)
    expect(latest('/one')).toEqual(['a', 'b'])
    expect(latest('/')).toEqual(['c'])
    db.exec('UPDATE session SET ended = NULL')
    expect(latest('/one')).toEqual(['a', 'b', 'd'])
  })

  it('without logs are where the rest of their files is', () => {
    const side = [{ path: '/one/todo.json' }] as never
    const session = { id: 'a', slug: '', logs: [], side } as never
    expect(isWithin(session, below('/one'))).toBe(true)
    expect(isWithin(session, below('/two'))).toBe(false)
  })
})
