// What is counted in passing against what is read back from the rows.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calledTool } from '../../model/spent.ts'
import { type DumpRow, dump, prepareDump } from '../store/dump.ts'
import { Database } from '../store/port.ts'
import { migrate } from '../store/schema.ts'
import type { Cell, RowBatch } from './rows.ts'
import { settleUsage } from './usage.ts'
import { UsageLoad } from './usage-load.ts'
import { copy } from './usage-rows.ts'
import { RowWriter } from './write.ts'

/** Every log makes two indexes, and a busy machine is slow at it. */
const patience = 60_000

const names = [
  ...['one', 'agent', 'opus', 'haiku', 'Bash', 'Read', 'assistant', '{}'],
  JSON.stringify([calledTool('Bash', 'c1')]),
  JSON.stringify([calledTool('Read', 'c2\0'), calledTool('Bash', 'c3')]),
]
const [model, tool, told] = [fc.constantFrom(null, 2, 3), fc.constantFrom(4, 5), fc.constantFrom(null, null, 8, 9)]
const amount = fc.constantFrom(null, 0, 1, 7, 150_000, 250_000, 2 ** 31, 2 ** 45)

/** One event with what it states, and its calls. Few values of each kind, so that keys meet and times tie. */
const statement = fc.record({
  file: fc.integer({ min: 1, max: 3 }),
  isMessage: fc.boolean(),
  at: fc.constantFrom<number | null>(null, -5, 0, 1000, 1000, 2000, 900_000, 1_700_000_000_000),
  said: fc.constantFrom(null, null, null, 1500),
  thread: fc.constantFrom(null, null, 1),
  flags: fc.constantFrom(0, 0, copy, 16),
  request: fc.constantFrom(null, '', 'r1', 'r1\0', 'r2', '\0', '\ud800', '\ufffd'),
  model,
  amounts: fc.array(amount, { minLength: 6, maxLength: 6 }),
  cost: fc.constantFrom(null, null, 0, 0.1, 1 / 3, -1, 1e300),
  key: fc.constantFrom<number | null>(null, 1, 1, 2, 2 ** 53 - 2),
  echo: fc.constantFrom(0, 0, 1, 6),
  marks: fc.nat(63),
  visible: fc.constantFrom(0, 0, 9, 300_000),
  tools: told,
  calls: fc.array(fc.record({ call: fc.constantFrom<string>('c1', 'c2', 'c2\0', 'c3', ''), tool }), { maxLength: 3 }),
})
type Statement = typeof statement extends fc.Arbitrary<infer Value> ? Value : never

function newIndex(): Database {
  const db = new Database(':memory:')
  migrate(db)
  const sql = `INSERT INTO file (id, generation, path, number, standing, role, session, size, modified)
    VALUES (?, ?, ?, ?, 0, 'main', ?, 0, 0)`
  for (const [id, path, number] of [[1, 'b', 1] as const, [2, 'a', 2] as const, [3, 'a', 1] as const]) {
    db.prepare(sql).run([id, `kept:${id}`, path, number, id === 1 ? 'one' : 'two'])
  }
  return db
}

function batchOf(file: number, from: number, statements: readonly Statement[]): RowBatch {
  const batch: RowBatch = {
    ...{ file, names: [...names], origins: [0, 0, null, null, null, 0, 6, 7], texts: [], words: new Uint8Array(0) },
    ...{ events: [], messages: [], calls: [], results: [], details: [], rests: [] },
    ...{ states: new Map(), tailStates: new Map(), indexed: 0, told: 0, lines: 0, eventCount: 0, tail: 0 },
    ...{ bytes: 0, isLast: false },
  }
  for (const [place, given] of statements.entries()) addRows(batch, from + place, given)
  return batch
}

function addRows(batch: RowBatch, ordinal: number, given: Statement): void {
  batch.events.push(ordinal, given.at, ordinal * 10, 10, ordinal, 0, 0, given.flags, null, null, 0)
  for (const [n, { call, tool: name }] of given.calls.entries()) batch.calls.push(ordinal, n, call, name, null, null)
  if (!given.isMessage) return
  const [input, output, creation, read, hour, searches] = given.amounts as [Cell, Cell, Cell, Cell, Cell, Cell]
  batch.messages.push(
    ordinal,
    'm',
    given.request,
    given.model,
    null,
    input,
    output,
    creation,
    read,
    null,
    hour,
    searches,
  )
  batch.messages.push(null, null, 1, given.cost, null, given.key, given.echo, given.marks, given.visible, given.said)
  batch.messages.push(given.thread, given.tools)
}

/** Batches of a few statements each, as readers of several files give them. */
function write(db: Database, statements: readonly Statement[], usage?: UsageLoad): void {
  const writer = new RowWriter(db, usage)
  const ordinals = [0, 0, 0, 0]
  for (let at = 0; at < statements.length; at += 5) {
    const some = statements.slice(at, at + 5)
    for (const file of [2, 1, 3]) {
      const own = some.filter(one => one.file === file)
      const from = ordinals[file] ?? 0
      ordinals[file] = from + own.length
      if (own.length > 0) writer.write(batchOf(file, from, own))
    }
  }
}

function counted(db: Database): DumpRow[] {
  prepareDump(db)
  return [...dump(db)].filter(({ table }) => table === 'spend' || table === 'spent')
}

function withIndex<Value>(work: (db: Database) => Value): Value {
  const db = newIndex()
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const readBack = (statements: readonly Statement[]): DumpRow[] =>
  withIndex(db => {
    write(db, statements)
    settleUsage(db)
    return counted(db)
  })

/** Room for so much; whether it was enough is told with the rows. */
const inPassing = (statements: readonly Statement[], most?: number): { rows: DumpRow[]; isHeld: boolean } =>
  withIndex(db => {
    const usage = new UsageLoad(db, most)
    write(db, statements, usage)
    const pack = usage.take()
    const load = Object.assign(new UsageLoad(db), { take: () => pack })
    settleUsage(db, load)
    return { rows: counted(db), isHeld: pack !== null }
  })

describe('messages that are counted in passing', () => {
  it(
    'are those that are read back from their rows, row by row',
    () => {
      fc.assert(
        fc.property(fc.array(statement, { minLength: 10, maxLength: 60 }), statements => {
          const { rows, isHeld } = inPassing(statements)
          expect(isHeld).toBe(true)
          expect(rows).toEqual(readBack(statements))
        }),
        { numRuns: 60 },
      )
    },
    patience,
  )

  it('are the same where one message has very many records', () => {
    const [one] = fc.sample(statement, { seed: 5, numRuns: 1 })
    const many = Array.from({ length: 300 }, (_, n) => ({
      ...(one as Statement),
      ...{ file: 1, isMessage: true, key: 77, at: 1000 + n, flags: 0, tools: null },
      ...{ calls: [{ call: `c${n}`, tool: 4 as const }] },
    }))
    const { rows } = inPassing(many)
    expect(rows).toEqual(readBack(many))
    expect(rows.filter(({ table }) => table === 'spend')).toHaveLength(1)
    expect(rows[0]?.value.match(/Bash/g)).toHaveLength(300)
  })

  it('are read back where they take more room than there is', () => {
    const statements = fc.sample(statement, { seed: 9, numRuns: 100 })
    const { rows, isHeld } = inPassing(statements, 0)
    expect(isHeld).toBe(false)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows).toEqual(readBack(statements))
  })

  it('are held in less than sixty bytes a record, a call included', () => {
    withIndex(db => {
      const usage = new UsageLoad(db)
      write(db, [])
      const [one] = fc.sample(statement, { seed: 5, numRuns: 1 })
      const batch = batchOf(1, 0, [{ ...(one as Statement), isMessage: true }])
      const { events, messages } = batch
      for (let n = 0; n < 100_000; n++) {
        // Two records of each message.
        const message = n >> 1
        const id = 2 ** 26 + n
        Object.assign(events, { 0: id, 1: 1_700_000_000_000 + n * 1500, 7: 0 })
        Object.assign(messages, { 0: id, 2: `req_${message}`, 17: message * 77_777_777_777, 21: null, 22: 3, 23: null })
        Object.assign(messages, { 3: 4, 5: 9, 6: n % 900, 7: n % 9000, 8: 120_000 + n, 10: 0, 15: null, 18: 0, 20: 0 })
        const calls = n % 2 === 0 ? [] : [id, 0, `toolu_${n}`, 5, null, null]
        usage.see({ events, messages, calls })
      }
      const bytes = usage.take()?.bytes ?? Number.POSITIVE_INFINITY
      expect(bytes / 100_000).toBeLessThan(60)
      console.log(`${Math.round(bytes / 100_000)} bytes a record`)
    })
  })
})
