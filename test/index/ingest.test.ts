// How one log becomes rows: in one piece or in many, cut anywhere, with whatever checkpoint is found. Only what is new is read.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { EventDecoder, RecordDecoder } from '../../src/decode/decode.ts'
import { ReadError } from '../../src/disk/read/read.ts'
import { Ingest, type IngestReport } from '../../src/index/ingest/ingest.ts'
import type { LedgerFile } from '../../src/index/refresh/ledger.ts'
import { differences } from '../../src/index/store/dump.ts'
import { openForWriting } from '../../src/index/store/open.ts'
import type { Database } from '../../src/index/store/port.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import type { ByteSource } from '../../src/model/source.ts'
import { Dice, logBytes, sessionA, sessionB } from '../archive/fixture.ts'
import { corpusFolder, sample, seedOr } from '../needs.ts'
import { talkBytes } from './talk.ts'

/** Logs in memory, which counts what is asked of it and gives it in chunks of any size. */
class CountingSource implements ByteSource {
  readonly files = new Map<string, Buffer>()
  /** Ranges that cannot be read begin here, by file. */
  readonly broken = new Map<string, number>()
  asked = 0
  private readonly dice = new Dice(7)

  async *read(generation: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const bytes = this.files.get(generation) ?? Buffer.alloc(0)
    const end = Math.min(to, bytes.length)
    this.asked += Math.max(0, end - from)
    for (let at = from; at < end; ) {
      if (at >= (this.broken.get(generation) ?? Number.POSITIVE_INFINITY)) throw new ReadError(generation, at, 'EIO')
      const next = Math.min(end, at + 1 + this.dice.below(200_000))
      yield bytes.subarray(at, next)
      at = next
    }
  }

  readSync(generation: string, from: number, to: number): Uint8Array {
    return (this.files.get(generation) ?? Buffer.alloc(0)).subarray(from, to)
  }
}

class Bench {
  readonly source = new CountingSource()
  readonly db: Database

  constructor() {
    this.db = openForWriting(join(tmpdir(), `clew-ingest-${process.pid}-${Math.random().toString(36).slice(2)}.sqlite`))
  }

  /** Brings the rows up to what the files have now. */
  ingest(): Promise<IngestReport> {
    const ledger = [...this.source.files].map(([name, bytes]): LedgerFile => ledgerFile(name, bytes.length))
    return new Ingest(this.db, { home: tmpdir(), source: this.source, isGone: () => true }).run(ledger)
  }

  number(sql: string): number {
    return Number(this.db.prepare(sql).get()?.[0])
  }

  close(): void {
    this.db.close()
    for (const end of ['', '-wal', '-shm']) rmSync(this.db.path + end, { force: true })
  }
}

function ledgerFile(name: string, size: number): LedgerFile {
  const generation = name
  const place = { generation, source: name, path: `/home/mira/${name}.jsonl`, number: 1, standing: 0 }
  return { ...place, role: 'session', session: sessionA, nameSession: sessionA, size, modifiedMs: 1 }
}

async function withBenches(count: number, work: (benches: Bench[]) => Promise<void>): Promise<void> {
  const benches = Array.from({ length: count }, () => new Bench())
  try {
    await work(benches)
  } finally {
    for (const bench of benches) bench.close()
  }
}

/** Three megabytes of everything: talk in many scripts, long lines, lines that are torn, glued and no JSON. */
function longLog(): Buffer {
  const parts: Buffer[] = []
  for (let seed = 1; Buffer.concat(parts).length < 3_000_000; seed++) {
    const ending = (['whole', 'torn', 'glued', 'open'] as const)[seed % 9] ?? 'whole'
    parts.push(talkBytes({ session: sessionA, seed: seed % 40, turns: 40, ending, long: seed % 5 === 0 ? 150_000 : 0 }))
    if (seed % 7 === 0) parts.push(logBytes(seed, 5000))
  }
  return Buffer.concat(parts)
}

const checkpointLag = 256 * 1024
const log = longLog()
const longestLine = Math.max(
  ...log
    .toString('latin1')
    .split('\n')
    .map(line => line.length),
)

describe('a log that grows', () => {
  it('gives the same rows in random pieces as at once, and only what is new is read', {
    timeout: 120_000,
  }, async () => {
    const dice = new Dice(seedOr(3))
    await withBenches(2, async ([pieces, whole]) => {
      if (pieces === undefined || whole === undefined) return
      whole.source.files.set('a', log)
      await whole.ingest()
      for (let at = 0, count = 0; at < log.length; count++) {
        const step = count % 4 === 0 ? dice.below(400_000) : dice.below(count % 4 === 1 ? 40 : 60_000)
        const next = Math.min(log.length, at + 1 + step)
        pieces.source.files.set('a', log.subarray(0, next))
        pieces.source.asked = 0
        await pieces.ingest()
        expect(pieces.source.asked).toBeLessThanOrEqual(next - at + checkpointLag + 2 * longestLine)
        expect(pieces.number('SELECT covered FROM file')).toBe(next)
        at = next
      }
      expect(whole.number('SELECT count(*) FROM event')).toBeGreaterThan(4000)
      expect(differences(pieces.db, whole.db, 5)).toEqual([])
    })
  })

  it('is read from its start where its checkpoint is nothing that can be used', async () => {
    const real = (db: Database) => db.prepare('SELECT state FROM checkpoint').get()?.[0] as Uint8Array
    const spoiled: ((state: Uint8Array) => Uint8Array)[] = [
      () => new Uint8Array(0),
      () => new Uint8Array([1, 2, 3, 255]),
      () => serialize({}),
      () => serialize(null),
      () => serialize({ ordinal: 3, events: {} }),
      state => state.subarray(0, state.length >> 1),
    ]
    const half = log.lastIndexOf(10, 1_000_000) + 1
    for (const spoil of spoiled) {
      await withBenches(2, async ([spoilt, whole]) => {
        if (spoilt === undefined || whole === undefined) return
        spoilt.source.files.set('a', log.subarray(0, half))
        await spoilt.ingest()
        spoilt.db.prepare('UPDATE checkpoint SET state = ?').run([spoil(real(spoilt.db))])
        for (const { source } of [spoilt, whole]) source.files.set('a', log.subarray(0, half + 50_000))
        await spoilt.ingest()
        await whole.ingest()
        expect(differences(spoilt.db, whole.db, 5)).toEqual([])
      })
    }
  })

  it('that cannot be read to its end gives what was read, and harms no other', async () => {
    await withBenches(2, async ([broken, whole]) => {
      if (broken === undefined || whole === undefined) return
      for (const { source } of [broken, whole]) {
        source.files.set('a', log.subarray(0, 600_000))
        source.files.set('b', log.subarray(0, 500_000))
      }
      broken.source.broken.set('a', 300_000)
      const report = await broken.ingest()
      expect(report.findings.map(({ code }) => code)).toEqual(['not-indexed'])
      expect(broken.number("SELECT covered FROM file WHERE generation = 'b'")).toBe(500_000)
      broken.source.broken.clear()
      await broken.ingest()
      await whole.ingest()
      expect(differences(broken.db, whole.db, 5)).toEqual([])
    })
  })
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folder, name))
    .sort()
}

/** All events of a file, and those behind a line by decoders that continue from what others saved there. */
function compareAt(bytes: Uint8Array, cut: number): void {
  const options = { session: sessionB }
  const whole = decodeFrom(new RecordDecoder('f'), new EventDecoder(options), bytes)
  const records = new RecordDecoder('f')
  const events = new EventDecoder(options)
  for (const record of records.push(bytes.subarray(0, cut))) events.decode(record)
  const saved = deserialize(serialize({ records: records.save(), events: events.save() }))
  const from = saved.records.place.offset
  const later = decodeFrom(
    new RecordDecoder('f', saved.records),
    new EventDecoder(options, saved.events),
    bytes.subarray(from),
  )
  expect(later).toEqual(whole.filter(event => event.source.offset >= from))
}

function decodeFrom(records: RecordDecoder, events: EventDecoder, bytes: Uint8Array): SessionEvent[] {
  const found: SessionEvent[] = []
  for (const record of [...records.push(bytes), ...records.end()]) {
    found.push(...events.decode(record))
  }
  return found
}

describe('decoders that continue from what others saved', () => {
  const timeout = 120_000
  it('give the same events, at any line of any file', { timeout }, () => compareFiles(resolve('samples/home')))
  it('give the same events for real logs', { tags: ['corpus', 'deep'], timeout }, () => compareFiles(corpusFolder))

  function compareFiles(folder: string): void {
    const files = filesUnder(folder)
    const dice = new Dice(seedOr(1))
    const small = files.filter(file => statSync(file).size < 150_000 && statSync(file).size > 0)
    for (const file of sample(small, 120)) {
      const bytes = readFileSync(file)
      for (let count = 0; count < 2; count++) {
        const cut = bytes.indexOf(10, dice.below(bytes.length)) + 1
        compareAt(bytes, cut === 0 ? bytes.length : cut)
      }
      // In the middle of a line: what is saved is how it was before it.
      compareAt(bytes, dice.below(bytes.length))
    }
  }
})
