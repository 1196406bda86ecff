import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database, type Row, type Statement } from '../store/port.ts'
import { migrate } from '../store/schema.ts'
import type { Expression, Term } from './expression.ts'
import { AskedTexts, type FoundTexts, ListedTexts, TextFinder } from './found-texts.ts'
import { newestText } from './places.ts'
import { WordLists } from './word-lists.ts'
import { UnknownForm, WordPages } from './word-pages.ts'

let folder: string
let db: Database

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-found-'))
  db = new Database(join(folder, 'index.sqlite'))
  db.exec('PRAGMA journal_mode = MEMORY')
  db.exec('PRAGMA synchronous = OFF')
  migrate(db)
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

function option(name: string, value: number): void {
  db.prepare('INSERT INTO words (words, rank) VALUES (?, ?)').run([name, value])
}

/** As the index does it: the next number, in one of two columns. */
function write(texts: readonly string[]): void {
  db.transaction(() => {
    for (const words of texts) {
      const id = newestText(db) + 1
      db.prepare('INSERT INTO text VALUES (?, ?)').run([id, id])
      db.prepare(`INSERT INTO words (rowid, ${id % 3 === 0 ? 'output' : 'body'}) VALUES (?, ?)`).run([id, words])
    }
  })
}

function remove(ids: readonly number[]): void {
  db.transaction(() => {
    for (const id of ids) {
      if (db.prepare('DELETE FROM text WHERE id = ? RETURNING id').get([id]) === undefined) continue
      db.prepare('DELETE FROM words WHERE rowid = ?').run([id])
    }
  })
}

function listed(expression: Expression, stretch?: number): ListedTexts {
  return new ListedTexts(new WordLists(new WordPages(db)), expression, newestText(db), stretch)
}

/** In pieces of several sizes. */
function all(found: FoundTexts, sizes: readonly number[]): number[] {
  const texts: number[] = []
  for (let at = 0; ; at++) {
    const size = sizes[at % sizes.length] ?? 1
    const next = found.next(size)
    texts.push(...next)
    if (next.length < size) return texts
  }
}

/** All ways give the same, and what FTS5 says. */
function expectSame(expression: Expression): number[] {
  const wanted = all(new AskedTexts(db, expression), [1e6])
  expect(all(listed(expression), [1e6])).toEqual(wanted)
  expect(all(listed(expression), [1, 7, 400])).toEqual(wanted)
  expect(all(listed(expression, 32), [1e6])).toEqual(wanted)
  const some = Array.from({ length: newestText(db) + 3 }, (_, at) => at).filter(at => at % 5 !== 2)
  expect(listed(expression).among(some)).toEqual(new AskedTexts(db, expression).among(some))
  expect(new TextFinder(db).find(expression).among(some)).toEqual(new AskedTexts(db, expression).among(some))
  return wanted
}

function term(text: string, isPrefix = false, whole?: string): Term {
  return { type: 'term', text, units: text.split(' '), isPrefix, ...(whole !== undefined && { whole }) }
}

const vocabulary = ['a', 'ab', 'abc', 'b', 'ba', 'foo_bar', 'x.y', 'größe', '丸め', 'rare', 'longer-than-others']
const word = fc.constantFrom(...vocabulary)
const phrase = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
const terms: fc.Arbitrary<Expression> = fc
  .record({ text: phrase, isPrefix: fc.boolean(), whole: fc.option(word) })
  .map(({ text, isPrefix, whole }) => term(text, isPrefix, whole ?? undefined))
const { tree } = fc.letrec<{ tree: Expression; leaf: Expression }>(tie => ({
  leaf: terms,
  tree: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.record({
      type: fc.constant('all' as const),
      of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      except: fc.array(tie('tree'), { maxLength: 2 }),
    }),
    fc.record({ type: fc.constant('any' as const), of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
  ),
}))

type Step = { write: string[] } | { remove: number[] } | { merge: number }
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .array(fc.array(word, { maxLength: 40 }).map(words => words.join(' ')))
        .map(texts => ({ write: texts })),
    },
    { weight: 2, arbitrary: fc.array(fc.nat(60), { maxLength: 12 }).map(ids => ({ remove: ids })) },
    { weight: 1, arbitrary: fc.integer({ min: -40, max: 40 }).map(pages => ({ merge: pages })) },
  ),
  { minLength: 1, maxLength: 14 },
)

/** Says that it is of a later FTS5. */
class OtherForm extends Database {
  override prepare(sql: string): Statement {
    const statement = super.prepare(sql)
    return sql.includes('words_config') ? { ...statement, get: () => [9] } : statement
  }
}

/** Some bytes of what it reads are other ones. */
class Damaged extends Database {
  private readonly damage: readonly { row: number; at: number; byte: number }[]

  constructor(path: string, damage: readonly { row: number; at: number; byte: number }[]) {
    super(path)
    this.damage = damage
  }

  override prepare(sql: string): Statement {
    const statement = super.prepare(sql)
    const damaged = (rows: Row[]) => {
      const blocks = rows.flat().filter(cell => cell instanceof Uint8Array)
      for (const { row, at, byte } of this.damage) {
        const block = blocks[row % Math.max(1, blocks.length)]
        if (block !== undefined) block[at % block.length] = byte
      }
      return rows
    }
    return {
      ...statement,
      get: values => damaged([statement.get(values) ?? []])[0],
      all: values => damaged(statement.all(values)),
    }
  }
}

describe('texts that have words', () => {
  it('are the same from its pages as FTS5 itself finds, whatever was written, removed and merged', () => {
    fc.assert(
      fc.property(
        steps,
        fc.array(tree, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(32, 64, 300),
        (life, asked, size) => {
          remove(
            db
              .prepare('SELECT id FROM text')
              .all()
              .map(([id]) => Number(id)),
          )
          option('pgsz', size)
          option('automerge', 4)
          for (const step of life) {
            if ('write' in step) write(step.write)
            else if ('remove' in step) remove(step.remove)
            else option('merge', step.merge)
            if (!('write' in step)) for (const expression of asked) expectSame(expression)
          }
          for (const expression of asked) expectSame(expression)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are found over many pages, spans and segments', () => {
    option('pgsz', 256)
    option('automerge', 0)
    option('crisismerge', 64)
    for (let part = 0; part < 8; part++) {
      write(
        Array.from({ length: 4000 }, (_, at) => {
          const n = part * 4000 + at
          const much = n % 5000 === 0 ? ' filler'.repeat(900) : ''
          return `every one of them${much} ${n % 2 === 0 ? 'even number' : 'number odd'} ${n % 9973 === 0 ? 'seldom' : ''} w${n}`
        }),
      )
    }
    expect(expectSame(term('every one of'))).toHaveLength(32_000)
    expect(expectSame(term('even number'))).toHaveLength(16_000)
    expect(expectSame(term('them even'))).toHaveLength(16_000 - 7)
    expect(expectSame(term('odd seldom'))).toHaveLength(2)
    expect(expectSame(term('w12', true))).toHaveLength(1111)
    expect(expectSame(term('filler filler even'))).toHaveLength(7)
    remove([1, 5001, 20_001, 31_999])
    expect(expectSame(term('every one'))).toHaveLength(31_996)
    option('merge', 200)
    expect(expectSame(term('even numb', true))).toHaveLength(15_996)
    db.exec("INSERT INTO words (words) VALUES ('optimize')")
    expect(expectSame(term('every'))).toHaveLength(31_996)
  })

  it('are asked of FTS5 where a word is one that it would cut', () => {
    write(['one a/b', 'two a', 'three b'])
    expect(new TextFinder(db).find(term('a/b')).next(9)).toEqual([1])
  })

  it('are never waited for in vain, whatever the pages are', () => {
    option('pgsz', 64)
    for (let part = 0; part < 6; part++) {
      write(Array.from({ length: 30 }, (_, at) => `a ab ${'b '.repeat(at % 40)} a${at} ${vocabulary[at % 9]}`))
    }
    remove([3, 4, 77])
    const asked = [term('a ab b'), term('a', true), term('b b b'), term('ab')]
    const place = fc.record({ row: fc.nat(), at: fc.nat(), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 4 }), fc.constantFrom(...asked), (damage, expression) => {
        const other = new Damaged(db.path, damage)
        try {
          const found = new ListedTexts(new WordLists(new WordPages(other)), expression, newestText(db))
          for (const text of found.next(1e6)) expect(text).toBeLessThanOrEqual(newestText(db) + 32)
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownForm)
        } finally {
          other.close()
        }
      }),
      { numRuns: 400 },
    )
  })

  it('are asked of FTS5 where its tables have another form', () => {
    write(['one two', 'two', 'two three'])
    const other = new OtherForm(db.path)
    expect(new TextFinder(other).find(term('three')).next(9)).toEqual([3])
    expect(() => new WordPages(other)).toThrow(UnknownForm)
    other.close()
  })
})
