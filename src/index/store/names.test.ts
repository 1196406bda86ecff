import { expect, it } from 'vitest'
import fc from '../../../test/property.ts'
import { NameTable } from './names.ts'
import { Database } from './port.ts'
import { createTables } from './schema.ts'

function newIndex(): Database {
  const db = new Database(':memory:')
  createTables(db)
  return db
}

const odd = fc.array(fc.constantFrom('a', 'b', '\0', '\ud83d', '\ude00', '\ufffd', '', '😀'), { maxLength: 4 })

it('names that SQLite stores alike have one id, in a new index as in one that has names', () => {
  fc.assert(
    fc.property(
      fc.array(
        odd.map(parts => parts.join('')),
        { maxLength: 20 },
      ),
      texts => {
        const db = newIndex()
        const table = new NameTable(db)
        const first = texts.map(text => table.name(text))
        const again = new NameTable(db)
        expect(texts.map(text => again.name(text))).toEqual(first)
        const stored = new Map(db.prepare('SELECT id, text FROM name').all() as [number, string][])
        for (const [at, text] of texts.entries()) {
          const looked = db.prepare('SELECT id FROM name WHERE text = ?').get([text])?.[0]
          expect(looked, JSON.stringify(stored.get(first[at] as number))).toBe(first[at])
        }
      },
    ),
  )
})

it('a name that another table gave meanwhile is not given again where there were some before', () => {
  const db = newIndex()
  const one = new NameTable(db)
  const id = one.name('first')
  const other = new NameTable(db)
  expect([other.name('first'), other.name('second')]).toEqual([id, id + 1])
})
