import { expect, it } from 'vitest'
import { Database } from '../store/port.ts'
import { createTables } from '../store/schema.ts'
import { sessionFamilies } from './families.ts'

it('joins sessions that begin alike, name each other or continue each other', () => {
  const db = new Database(':memory:')
  createTables(db)
  const add = (session: string, ...rows: [what: string, value: string][]) => {
    const sql = `INSERT INTO session (id, slug, fingerprint, files, facts, summaries, title, own)
      VALUES (?, '', '', '{}', '{}', '[]', '', '{}')`
    db.prepare(sql).run([session])
    for (const [what, value] of rows) db.prepare('INSERT INTO digest VALUES (?, ?, ?)').run([session, what, value])
  }
  add('first', ['uuid', 'u1'], ['message', 'm1'])
  add('copy', ['uuid', 'u1'], ['message', 'm2'])
  add('named', ['uuid', 'u9'], ['forked', 'copy'])
  add('later', ['uuid', 'u5'], ['missing', 'u7'])
  add('earlier', ['uuid', 'u7'])
  add('alone', ['uuid', 'u3'], ['forked', 'unknown'], ['missing', 'u4'])
  const families = sessionFamilies(db)
  const sorted = (session: string) => [...(families.get(session) ?? [])].sort()
  expect(sorted('first')).toEqual(['copy', 'first', 'named'])
  expect(sorted('named')).toEqual(['copy', 'first', 'named'])
  expect(sorted('later')).toEqual(['earlier', 'later'])
  expect(families.has('alone')).toBe(false)
  db.close()
})
