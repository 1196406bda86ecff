// Whether rows that are held say what SQLite would give back, whatever stands in them, and whether they are let go in time.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../model/event.ts'
import { ThinReader } from '../refresh/thin.ts'
import { Database } from '../store/port.ts'
import { migrate } from '../store/schema.ts'
import { type Cell, type FileTask, type RowBatch, widths } from './rows.ts'
import { RowWriter } from './write.ts'
import { WrittenRows } from './written.ts'

const pick = <Value>(...values: Value[]) => fc.constantFrom(...values)
const text = fc.oneof(pick('u1', 'toolu_1', 's3:1', '', '1', '007', '1e3', '~2', 'ü💡', '\ufeffa', '\u2028'), fc.uuid())
const number = fc.oneof(fc.nat(200), pick(2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER, -1, -(2 ** 33)))
const time = fc.oneof(pick(null), fc.integer({ min: -1e12, max: 4e12 }))
const cost = fc.oneof(pick(null, 1e-9, 0.16649604999999995, 1e9), fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
const json = fc.oneof(
  pick('{"texts":["Go"]}', '{"subtype":"turn_duration","durationMs":5}', '{"logicalParent":"u1","isStop":true}', '7'),
  fc.json(),
)

type Cells = fc.Arbitrary<Cell>

/** What no log should give, what a column of its type makes something else of, and what SQLite stores as nothing. */
const hostile: readonly Cell[] = [
  ...[
    'a\0b',
    '\0',
    '\0b',
    '\ud83d',
    'x\udca1y',
    '\udca1\ud83d',
    '"\\\n\u0001',
    '\uffff',
    '7',
    '7.5',
    '0x10',
    ' 8 ',
    'x',
  ],
  ...[
    -0,
    0,
    0.5,
    3.0000000000000004,
    2 ** 53,
    2 ** 53 + 2,
    2 ** 62,
    2 ** 63,
    2 ** 64,
    -(2 ** 63),
    1e19,
    1.5e300,
    5e-324,
  ],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null, 1, 7, 1e-10, 1.9688473307492808e-17, 3e20],
]
const hostileTimes: readonly Cell[] = [
  -0,
  0.5,
  1.76e12 + 0.25,
  Number.NaN,
  '1760000000000',
  '1760000000000.5',
  'x',
  null,
]

interface Drawn {
  events: Cell[][]
  messages: Cell[][]
  calls: Cell[][]
  results: Cell[][]
  details: Cell[][]
  states: [string, string][]
}

const name = pick(0, 1, 2, null)
const count = fc.oneof(pick(null), number)
const maybe = fc.oneof(pick(null), text)
const counts = (length: number) => new Array<Cells>(length).fill(count)
const some = (...cells: Cells[]) => fc.array(fc.tuple(...cells), { maxLength: 4 })

const rows: fc.Arbitrary<Drawn> = fc.record({
  events: fc.array(
    fc.tuple(
      ...[time, number, number, number, fc.nat(31), fc.nat(3), number, maybe],
      ...[fc.oneof(pick(1, null), text), pick(0, 1)],
    ),
    { minLength: 1, maxLength: 6 },
  ),
  messages: some(
    ...[text, maybe, name, name, ...counts(7), name, name, pick(null, 0, 1), cost, count],
    ...[...counts(5), name, name],
  ),
  calls: some(text, pick(0, 1, 2), name, maybe),
  results: some(fc.oneof(pick(''), text), name, pick(0, 1, 2), count, pick(0, 1)),
  details: some(json),
  states: fc.array(fc.tuple(pick('mode', 'tag', 'ai'), json), { maxLength: 3 }),
})

const lists = ['events', 'messages', 'calls', 'results', 'details', 'rests'] as const

/** Rows of one event each, as far as there are events. */
function batchOf(drawn: Drawn, from: number, isLast: boolean): RowBatch {
  const count = drawn.events.length
  const flat = (rows: Cell[][], ...more: Cell[]) =>
    rows.slice(0, count).flatMap((row, n): Cell[] => [from + n, ...more, ...row])
  const states = new Map(
    drawn.states.slice(0, count).map(([type, json], n): [string, [number, string]] => [type, [from + n, json]]),
  )
  return {
    file: 1,
    names: ['s1', 'client', 'm\ud83d'],
    origins: [0, 0, null, 2, null, 0, 1, null, ...[0, 1, 2, null, null, 2, 1, null]],
    events: flat(drawn.events),
    messages: flat(drawn.messages),
    calls: flat(drawn.calls, 0),
    results: flat(drawn.results, 1),
    details: flat(drawn.details),
    rests: flat(drawn.details.slice(1)),
    states: isLast ? new Map() : states,
    tailStates: isLast ? states : new Map(),
    texts: [],
    ...{ indexed: 0, told: 0, lines: 0, eventCount: from + count, tail: 0, bytes: 0, isLast },
  }
}

const task: FileTask = {
  ...{ file: 1, source: 'g', path: '/p', role: 'session', session: 's1', size: 0, indexed: 0, isLive: false },
}

class Index {
  readonly db = new Database(':memory:')
  readonly written = new WrittenRows()
  readonly writer: RowWriter

  constructor() {
    migrate(this.db)
    const sql = `INSERT INTO file (id, generation, path, number, standing, role, size, modified)
      VALUES (1, 'g', '/p', 1, 0, 'session', 0, 0)`
    this.db.exec(sql)
    this.writer = new RowWriter(this.db, undefined, this.written)
    this.writer.begin(task)
  }

  write(batches: readonly Drawn[]): void {
    let from = 0
    for (const [n, drawn] of batches.entries()) {
      this.writer.write(batchOf(drawn, from, n === batches.length - 1))
      from += drawn.events.length
    }
  }

  /** False where a table refuses a cell: what cannot be written is not held either. */
  writeAnew(batch: RowBatch): boolean {
    this.clear()
    try {
      this.writer.write(batch)
      return true
    } catch (error) {
      if (/NOT NULL|datatype mismatch/.test(String(error))) return false
      throw error
    }
  }

  clear(): void {
    this.writer.dropRows(1)
    this.writer.begin(task)
  }

  events(written?: WrittenRows): SessionEvent[] {
    return new ThinReader(this.db, 'settle', written).events({ id: 1, path: '/p' })
  }
}

/** `THIN_RUNS=5000` looks further than everyday checks do. */
const asked = Number(process.env['THIN_RUNS'] ?? 0)
const runs = asked > 0 ? { numRuns: asked } : { numRuns: 400, seed: 20261116 }

test('events of held rows are those that are read back', () => {
  const index = new Index()
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 3 }), batches => {
      index.clear()
      index.write(batches)
      expect(index.written.columns(1)).toBeDefined()
      expect(index.events(index.written)).toStrictEqual(index.events())
    }),
    runs,
  )
  index.db.close()
}, 120_000)

/** A row in each list. */
const full: Drawn = {
  events: [
    [1.76e12, 0, 10, 1, 0, 0, 0, 'u1', null, 0],
    [1.76e12, 10, 10, 2, 1, 1, 0, null, 'u1', 0],
  ],
  messages: [['m1', 'r1', 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 0.5, 9, 1, 2, 3, 4, 5, 0, 0]],
  calls: [['c1', 0, 1, 'ls']],
  results: [['c1', 0, 1, 7, 1]],
  details: [['{"texts":["Go"]}'], ['{"isStop":true}']],
  states: [],
}

test('a hostile cell in any column makes no difference', () => {
  const index = new Index()
  let different = 0
  for (const list of lists) {
    for (let column = 1; column < widths[list]; column++) {
      for (const cell of list === 'events' && column === 1 ? hostileTimes : hostile) {
        const batch = batchOf(full, 0, true)
        batch[list][column] = cell
        if (!index.writeAnew(batch)) continue
        different += Number(index.written.columns(1) === undefined)
        expect(index.events(index.written), `${list} ${column} ${String(cell)}`).toStrictEqual(index.events())
      }
    }
  }
  expect(different).toBeGreaterThan(300)
  index.db.close()
}, 60_000)

test('states whose types SQLite stores alike are one', () => {
  const index = new Index()
  for (const types of [
    ['x\0a', 'x'],
    ['\ud83d', '\ufffd'],
    ['x', 'y'],
  ]) {
    const batch = batchOf(full, 0, false)
    for (const [n, type] of types.entries()) batch.states.set(type, [n, `{"a":${n}}`])
    index.writeAnew(batch)
    expect(index.events(index.written)).toStrictEqual(index.events())
  }
  index.db.close()
})

const plain: Drawn = {
  events: [
    [1.76e12, 0, 10, 1, 0, 0, 0, 'u1', null, 0],
    [1.76e12, 10, 10, 2, 1, 1, 0, null, 1, 0],
  ],
  ...{ messages: [], calls: [], results: [], details: [], states: [] },
}

test('rows that are dropped are not held, and neither is what follows them', () => {
  const index = new Index()
  index.write([plain])
  expect(index.events(index.written)).toHaveLength(2)
  index.writer.dropRows(1)
  expect(index.written.columns(1)).toBeUndefined()
  expect(index.events(index.written)).toEqual([])
  index.writer.begin(task)
  index.write([plain, plain])
  expect(index.written.columns(1)?.('event')[0]).toHaveLength(4)
  index.writer.dropFiles([1])
  expect(index.written.columns(1)).toBeUndefined()
  index.db.close()
})

test('a file that has rows already is read back as a whole', () => {
  const index = new Index()
  index.write([plain])
  const later = new WrittenRows()
  const writer = new RowWriter(index.db, undefined, later)
  writer.begin(task)
  writer.write(batchOf(plain, 2, true))
  expect(later.columns(1)).toBeUndefined()
  expect(index.events(later)).toHaveLength(4)
  index.db.close()
})

test('the rows of a line without end are forgotten when it goes on', () => {
  const index = new Index()
  index.writer.write({ ...batchOf(plain, 0, true), eventCount: 0, tail: 2 })
  expect(index.events(index.written)).toHaveLength(2)
  index.writer.begin(task)
  expect(index.events(index.written)).toEqual([])
  index.write([{ ...plain, events: plain.events.slice(0, 1) }])
  expect(index.events(index.written)).toStrictEqual(index.events())
  expect(index.events()).toHaveLength(1)
  index.db.close()
})

test('what has waited longest is let go first, and a file that is too large by itself', () => {
  const rows = 2 * 5 * 16
  const written = new WrittenRows(rows * 2)
  const note = (file: number) => written.note({ ...batchOf(plain, 0, false), file })
  for (const file of [1, 2, 3]) {
    written.begin(file)
    note(file)
  }
  const held = () => [1, 2, 3].filter(file => written.columns(file) !== undefined)
  expect(held()).toEqual([2, 3])
  note(2)
  expect(held()).toEqual([3])
  note(2)
  expect(held()).toEqual([3])
  note(3)
  expect(held()).toEqual([3])
  note(3)
  expect(held()).toEqual([])
  written.begin(1)
  note(1)
  expect(held()).toEqual([1])
  written.clear()
  expect(held()).toEqual([])
})
