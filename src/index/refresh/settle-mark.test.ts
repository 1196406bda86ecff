// Whether a session that is settled from a mark says what it says when it is settled as a whole, however it grew: random
// sessions, most of whose records follow each other, while some reach back, repeat, wait or come too early.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textToBytes } from '../../base/bytes.ts'
import { sessionId } from '../../model/ids.ts'
import type { GenerationId, SessionFiles } from '../../model/source.ts'
import { Extraction } from '../ingest/extract.ts'
import { RowWriter } from '../ingest/write.ts'
import { Database, type Row } from '../store/port.ts'
import { migrate } from '../store/schema.ts'
import { settledOf, settleSession } from './settle.ts'
import { Before, readMark } from './settle-mark.ts'
import { settledRows } from './settle-rows.ts'
import { ThinReader } from './thin.ts'
import { thinFiles } from './thin-graph.ts'

const id = 's1'
const fileIds = new Map([
  ['g0', 1],
  ['g1', 2],
])

/** What may happen next; numbers choose among what was there before. */
const kinds = [
  'prompt',
  'answer',
  'call',
  'result',
  'command',
  'time',
  'titles',
  'snapshot',
  'queue',
  'compaction',
] as const
const odds = [
  ...(['back', 'copy', 'message', 'sidechain', 'cost', 'missing', 'early', 'summary', 'agent'] as const),
  ...(['twin', 'late', 'ahead', 'waiting', 'taken', 'said'] as const),
] as const
/** `calm`: how many usual ones there are for each that is odd. */
const steps = (calm: number) => {
  const kind = fc.oneof(
    { weight: calm, arbitrary: fc.constantFrom(...kinds) },
    { weight: 1, arbitrary: fc.constantFrom(...odds) },
  )
  return fc.array(fc.record({ kind, n: fc.nat(1000) }), { minLength: 20, maxLength: 120 })
}
type Step = { kind: (typeof kinds)[number] | (typeof odds)[number]; n: number }

/** Writes records that hang together. */
class Writer {
  readonly main: string[] = []
  readonly agent: string[] = []
  private readonly uuids: string[] = []
  private count = 0
  private messages = 0

  private base(type: string, more: object = {}): Record<string, unknown> {
    const uuid = `u${++this.count}`
    const parentUuid = this.uuids.at(-1) ?? null
    this.uuids.push(uuid)
    const timestamp = new Date(1.76e12 + this.count * 1000).toISOString()
    return {
      type,
      uuid,
      parentUuid,
      sessionId: id,
      timestamp,
      isSidechain: false,
      cwd: '/x',
      version: '2.1.40',
      ...more,
    }
  }

  private user(content: unknown, more: object = {}): object {
    return this.base('user', { message: { role: 'user', content }, ...more })
  }

  private answer(content: unknown[], more: object = {}, message = `m${++this.messages}`): object {
    const usage = { input_tokens: 3, output_tokens: this.count, cache_read_input_tokens: 5 }
    const said = { id: message, role: 'assistant', model: 'claude-a', content, stop_reason: 'end_turn', usage }
    return this.base('assistant', { message: said, requestId: `r-${message}`, ...more })
  }

  add({ kind, n }: Step): void {
    const any = this.uuids[n % Math.max(1, this.uuids.length)] ?? null
    if (kind === 'agent') this.agent.push(JSON.stringify(this.agentRecord(n, `a${++this.count}`)))
    else if (kind === 'twin') this.agent.push(JSON.stringify(this.agentRecord(n, any ?? 'a0')))
    else this.main.push(...this.records(kind, n, any).map(record => JSON.stringify(record)))
  }

  private agentRecord(n: number, uuid: string): object {
    const timestamp = new Date(1.76e12 + this.count * 1000).toISOString()
    const message = { role: 'user', content: 'Look' }
    return {
      type: 'user',
      uuid,
      parentUuid: n % 2 ? null : (this.uuids.at(-1) ?? null),
      sessionId: id,
      timestamp,
      isSidechain: true,
      agentId: 'a1',
      message,
    }
  }

  private records(kind: Exclude<Step['kind'], 'agent' | 'twin'>, n: number, any: string | null): object[] {
    const text = [{ type: 'text', text: 'Done' }]
    switch (kind) {
      case 'prompt':
        return n % 3 === 0
          ? [this.snapshot(`u${this.count + 1}`), this.user(`Do ${n % 5}`)]
          : [this.user(`Do ${n % 5}`)]
      case 'answer':
        return n % 2 ? [this.answer(text)] : [this.answer(text), this.answer(text, {}, `m${this.messages}`)]
      case 'call':
        return [this.answer([{ type: 'tool_use', id: `c${n % 7}`, name: n % 2 ? 'Read' : 'Edit', input: {} }])]
      case 'result':
        return [this.user([{ type: 'tool_result', tool_use_id: `c${n % 7}`, content: 'ok', is_error: n % 3 === 0 }])]
      case 'command':
        return [this.user('<command-name>/cost</command-name>')]
      case 'time':
        return [this.base('system', { subtype: 'turn_duration', durationMs: n })]
      case 'titles':
        return [this.title(n)]
      case 'snapshot':
        return [this.snapshot(this.uuids.at(-1) ?? '')]
      case 'queue':
        return this.queue(n)
      case 'compaction':
        return [
          this.base('system', { subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: this.uuids.at(-2) }),
        ]
      default:
        return this.odd(kind, n, any)
    }
  }

  private odd(kind: Exclude<(typeof odds)[number], 'agent' | 'twin'>, n: number, any: string | null): object[] {
    switch (kind) {
      case 'back':
        return n % 2
          ? [this.user('Again', { parentUuid: any })]
          : [this.answer([], { parentUuid: any }), this.snapshot(any ?? '')]
      case 'copy':
        return [{ ...this.user('Again'), uuid: any }]
      case 'message':
        return [this.answer([], {}, `m${n % Math.max(1, this.messages)}`)]
      case 'sidechain':
        return [this.user('Aside', { isSidechain: true })]
      case 'cost':
        return [this.answer([], { costUSD: 0.1 })]
      case 'missing':
        return [this.user('Lost', { parentUuid: `x${n}` })]
      case 'early':
        return [this.user('Soon', { parentUuid: `u${this.count + 1 + (n % 20)}` })]
      case 'late':
        return [this.snapshot(any ?? '')]
      case 'ahead':
        return [this.snapshot(`u${this.count + 1 + (n % 20)}`)]
      case 'waiting':
        return [queued('enqueue', n)]
      case 'taken':
        return [queued('enqueue', n), queued('remove', n)]
      case 'said':
        return [this.base('attachment', { attachment: { type: 'queued_command', prompt: `Do ${n % 5}` } })]
      case 'summary':
        return [{ type: 'summary', summary: `Sum ${n % 2}`, leafUuid: any }]
    }
  }

  private snapshot(messageId: string): object {
    return { type: 'file-history-snapshot', messageId, snapshot: { timestamp: new Date(1.76e12).toISOString() } }
  }

  private title(n: number): object {
    if (n % 3 === 0) return { type: 'last-prompt', lastPrompt: `Last ${n}`, sessionId: id }
    return n % 3 === 1
      ? { type: 'custom-title', customTitle: `Title ${n}`, sessionId: id }
      : { type: 'last-prompt', leafUuid: this.uuids.at(-1), sessionId: id }
  }

  /** What was typed while it worked: taken as a turn of its own, or into the running one. */
  private queue(n: number): object[] {
    if (n % 4 === 0) return [queued('enqueue', n), queued('dequeue', n), this.user(`Do ${n % 5}`)]
    if (n % 4 !== 1) return []
    const attachment = { type: 'queued_command', prompt: `Do ${n % 5}` }
    return [queued('enqueue', n), queued('remove', n), this.base('attachment', { attachment })]
  }
}

function queued(operation: string, n: number): object {
  return { type: 'queue-operation', operation, content: `Do ${n % 5}`, sessionId: id }
}

/** A session whose logs grow. */
class Growing {
  readonly db = new Database(':memory:')
  private readonly writer: RowWriter
  session: SessionFiles = { id: sessionId(id), slug: 'p', logs: [], side: [] }

  constructor() {
    migrate(this.db)
    this.writer = new RowWriter(this.db)
  }

  grow(texts: readonly string[]): void {
    const log = (n: number) => ({ path: `/p/${n}.jsonl`, generation: `g${n}` as GenerationId, modifiedMs: 0, size: 0 })
    const own = { ...log(1), role: 'agent' as const, nameAgent: 'a1', meta: { agentType: 'Explore' } }
    this.session = { ...this.session, logs: [{ ...log(0), role: 'session' }, ...(texts[1] === '' ? [] : [own])] }
    for (const [n, text] of texts.entries()) if (text !== '') this.read(n, textToBytes(text))
  }

  private read(n: number, bytes: Uint8Array): void {
    const { db } = this
    const file = n + 1
    const role = n === 0 ? 'session' : 'agent'
    const sql = `INSERT OR IGNORE INTO file (id, generation, path, number, standing, role, session, size, modified)
      VALUES (?, ?, ?, 1, 0, ?, ?, 0, 0)`
    db.prepare(sql).run([file, `g${n}`, `/p/${n}.jsonl`, role, id])
    const indexed = Number(db.prepare('SELECT indexed FROM file WHERE id = ?').get([file])?.[0])
    const task = {
      file,
      source: `g${n}`,
      path: `/p/${n}.jsonl`,
      role,
      session: id,
      size: bytes.length,
      indexed,
    } as const
    const extraction = new Extraction({ ...task, isLive: false, ...(n === 1 && { agent: 'a1' }) })
    extraction.push(bytes)
    this.writer.begin({ ...task, isLive: false })
    this.writer.write(extraction.end())
  }

  /** Whether it can go on from its mark; undefined where it has none. */
  get goesOn(): boolean | undefined {
    const mark = readMark(this.db, 1, id)
    if (mark === null) return undefined
    const files = thinFiles(new ThinReader(this.db, 'settle'), this.session, fileIds, mark.events)
    return settledRows(this.session.id, files, 0, new Before(mark)) !== null
  }

  settle(): void {
    settleSession(this.db, this.session, fileIds, 'stamp', new ThinReader(this.db, 'settle'), 2)
  }

  /** What is said, and what would be said by one who reads all. */
  told(): [unknown, unknown] {
    const all = (table: string, columns: string) =>
      this.db.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`).all()
    const [facts, summaries] = this.db.prepare('SELECT facts, summaries FROM session').get() as string[]
    const threads = all('thread', 'id, kind, events, started, ended, agent')
    const turns = all('turn', 'n, prompt, thread, started, ended, duration, events, calls')
    const said = [JSON.parse(facts ?? ''), JSON.parse(summaries ?? ''), threads, turns, all('digest', 'what, value')]
    const whole = settledOf(new ThinReader(this.db, 'settle'), this.session, fileIds)
    const { facts: wholeFacts, summaries: wholeSummaries } = whole
    const sorted = (rows: readonly unknown[][]) =>
      [...rows].sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1))
    const rows = [sorted(whole.threads), whole.turns, sorted(whole.digest)]
    return [said, [...(JSON.parse(JSON.stringify([wholeFacts, wholeSummaries])) as unknown[]), ...rows] as Row[]]
  }
}

/** `MARK_RUNS=5000` looks further than everyday checks do. */
const asked = Number(process.env['MARK_RUNS'] ?? 0)
const runs = asked > 0 ? { numRuns: asked, endOnFailure: true } : { numRuns: 300, seed: 20261116 }

test('a session settled from its mark says what it says when it is settled as a whole', () => {
  let used = 0
  let refused = 0
  const cuts = fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 })
  const life = fc.tuple(fc.oneof(steps(60), steps(12), steps(4)), cuts)
  fc.assert(
    fc.property(life, ([happened, places]) => {
      const written = new Writer()
      for (const each of happened) written.add(each)
      const texts = [written.main, written.agent].map(lines => lines.map(line => `${line}\n`).join(''))
      const growing = new Growing()
      try {
        for (const part of [...places].sort((a, b) => a - b)) {
          // Also in the middle of a line.
          growing.grow(texts.map(text => text.slice(0, Math.ceil((text.length * part) / 1000))))
          if (growing.session.logs.length === 0 || growing.db.prepare('SELECT 1 FROM event').get() === undefined)
            continue
          const goesOn = growing.goesOn
          if (goesOn === true) used++
          if (goesOn === false) refused++
          growing.settle()
          const [said, whole] = growing.told()
          expect(said).toEqual(whole)
        }
      } finally {
        growing.db.close()
      }
    }),
    runs,
  )
  expect(used).toBeGreaterThan(runs.numRuns / 8)
  expect(refused).toBeGreaterThan(0)
}, 120_000)
