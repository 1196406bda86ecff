import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Database } from '../store/port.ts'
import { migrate } from '../store/schema.ts'
import { handWordsOver, type WordLoad, wordLoad } from './word-load.ts'

interface Text {
  column: number
  words: string
}

const encoder = new TextEncoder()

function newIndex(): Database {
  const db = new Database(':memory:', { isNew: true })
  migrate(db)
  return db
}

/** As `load` stores it, with a flush where a number stands. */
function gathered(texts: readonly (Text | number)[]): Database {
  const db = newIndex()
  const load = wordLoad(db) as WordLoad
  let row = 0
  for (const text of texts) {
    if (typeof text === 'number') {
      load.flush()
      row += text
    } else expect(load.add(++row, text.column, encoder.encode(text.words))).toBe(true)
  }
  load.flush()
  return db
}

function told(texts: readonly (Text | number)[]): Database {
  const db = newIndex()
  let row = 0
  for (const text of texts) {
    if (typeof text === 'number') row += text
    else {
      const sql = `INSERT INTO words (rowid, ${text.column === 1 ? 'output' : 'body'}) VALUES (?, ?)`
      db.prepare(sql).run([++row, text.words])
    }
  }
  return db
}

/** Every word of every text with its place, sizes, sums. FTS5 itself checks that its pages make sense. */
function contents(db: Database): unknown {
  db.exec("INSERT INTO words (words, rank) VALUES ('integrity-check', 0)")
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.places USING fts5vocab(main, words, instance)')
  return {
    places: db.prepare('SELECT term, doc, col, "offset" FROM temp.places').all(),
    sizes: db.prepare('SELECT id, hex(sz) FROM words_docsize ORDER BY id').all(),
    sums: db.prepare('SELECT hex(block) FROM words_data WHERE id = 1').get(),
  }
}

function rowsOf(db: Database, query: string): unknown {
  const sql = 'SELECT rowid, bm25(words, 1.0, 0.6) FROM words WHERE words MATCH ? ORDER BY rowid'
  return { up: db.prepare(sql).all([query]), down: db.prepare(`${sql} DESC LIMIT 5`).all([query]) }
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'cart', 'total', 'cart_total', 'src', 'number', 'numbers') },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z0-9_.-]{1,40}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('größe', '献立', '立立', '😀', 'é'.repeat(30), 'abcdefgh', 'abcdefghi', 'abcdefghj'),
  },
)
const text = fc.record({
  column: fc.constantFrom(0, 1),
  words: fc.array(word, { maxLength: 60 }).map(words => words.join(' ')),
})
const texts = fc.array(fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.nat(9000) }), {
  maxLength: 40,
})

describe('words that are gathered', () => {
  it('are stored as FTS5 would have told them, whatever the texts', () => {
    fc.assert(
      fc.property(texts, list => {
        expect(contents(gathered(list))).toEqual(contents(told(list)))
      }),
      { numRuns: 150 },
    )
  })

  it('fill pages, lists over many pages and several segments', () => {
    const list: (Text | number)[] = []
    let seed = 7
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    for (let at = 0; at < 4000; at++) {
      const words = Array.from({ length: 5 + random(40) }, () => {
        const kind = random(10)
        return kind < 6
          ? `common${random(3)}`
          : kind < 9
            ? `word${random(3000)}`
            : `rare-${random(2 ** 31).toString(36)}`
      })
      if (at % 300 === 0) for (let more = 0; more < 12_000; more++) words.push(`common${random(3)}`)
      list.push({ column: random(2), words: words.join(' ') })
      if (at % 3300 === 3299) list.push(random(100_000))
    }
    const [quick, plain] = [gathered(list), told(list)]
    expect(contents(quick)).toEqual(contents(plain))
    expect(Number(quick.prepare('SELECT count(*) FROM words_idx WHERE pgno & 1').get()?.[0])).toBeGreaterThan(1)
    for (const query of [
      'common1',
      'common1 common2',
      '"common1 common2 common3"',
      'word17',
      'wo*',
      'common1 NOT word17',
    ]) {
      expect(rowsOf(quick, query)).toEqual(rowsOf(plain, query))
    }
    for (const db of [quick, plain]) {
      db.exec('DELETE FROM words WHERE rowid % 3 = 1 AND rowid IN (SELECT id FROM words_docsize)')
      db.exec("INSERT INTO words (rowid, body) VALUES (900000, 'common1 new')")
    }
    for (const query of ['common1', 'new', 'word17']) expect(rowsOf(quick, query)).toEqual(rowsOf(plain, query))
    expect(contents(quick)).toEqual(contents(plain))
    quick.exec("INSERT INTO words (words) VALUES ('optimize')")
    expect(contents(quick)).toEqual(contents(plain))
  })

  it('are seen by FTS5 when it stores more, whatever it was told before', () => {
    const db = newIndex()
    const load = wordLoad(db) as WordLoad
    db.exec("INSERT INTO words (words, rank) VALUES ('automerge', 0)")
    db.begin()
    for (let row = 1; row <= 300; row++) load.add(row, row % 2, encoder.encode(`early word${row}`))
    load.flush()
    handWordsOver(db)
    db.exec("INSERT INTO words (rowid, body) VALUES (301, 'late')")
    db.exec('DELETE FROM words WHERE rowid = 7')
    db.commit()
    const found = (query: string) =>
      db.prepare('SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid').all([query]).flat()
    expect(found('late')).toEqual([301])
    expect(found('word300 OR word7')).toEqual([300])
    expect(found('early')).toHaveLength(299)
    expect(Number(db.prepare("SELECT v FROM words_config WHERE k = 'automerge'").get()?.[0])).toBe(0)
  })

  it('are left to FTS5 where it was asked before, or where a text is larger than any', () => {
    const db = newIndex()
    const load = wordLoad(db) as WordLoad
    expect(load.add(1, 0, encoder.encode('some words'))).toBe(true)
    expect(load.add(2, 0, encoder.encode('ab '.repeat(1_000_000)))).toBe(false)
    db.isNew = false
    expect(wordLoad(db)).toBe(null)
  })
})
