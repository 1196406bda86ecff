// The first screen comes from the first bytes of a long session. What is printed must not depend on that.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pc from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FileVerdict } from '../../src/answers/session/verdict.ts'
import { columnsOf } from '../../src/base/width.ts'
import type { ShowOptions } from '../../src/cli/session/show-options.ts'
import { firstItems, showText } from '../../src/cli/session/show-text.ts'
import type { Sink } from '../../src/cli/terminal/pager.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { Sketch } from '../../src/graph/testing.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import type { SessionFiles } from '../../src/model/source.ts'
import { SessionPainter } from '../../src/render/terminal/items.ts'
import { glyphsFor, type Paint } from '../../src/render/terminal/style.ts'
import { loadSession, readEvents } from '../../src/session/load.ts'
import { viewSession } from '../../src/view/thread.ts'
import { clientHomes, corpusFolder } from '../needs.ts'

const options: ShowOptions = {
  format: 'text',
  isFull: false,
  showsThinking: false,
  showsTimes: false,
  usesPager: false,
}
const paint: Paint = {
  width: 80,
  glyphs: glyphsFor({ LANG: 'C.UTF-8' }),
  colors: pc.createColors(false),
  isFull: false,
  showsThinking: false,
  showsTimes: false,
  time: at => at ?? '-',
}

/** Keeps lines; `closesAfter` lines the reader goes away. */
class TestSink implements Sink {
  readonly lines: string[] = []
  /** How many lines there were at each flush. */
  readonly flushes: number[] = []
  private readonly closesAfter: number
  constructor(closesAfter = Number.POSITIVE_INFINITY) {
    this.closesAfter = closesAfter
  }
  get isClosed(): boolean {
    return this.lines.length >= this.closesAfter
  }
  async line(text: string): Promise<void> {
    this.lines.push(text)
  }
  async flush(): Promise<void> {
    this.flushes.push(this.lines.length)
  }
  async end(): Promise<void> {}
}

const places = { tree: diskTree, source: diskTree.source }

async function shown(session: SessionFiles, firstBytes: number, sink = new TestSink()): Promise<TestSink> {
  const progress = { add() {}, end() {} }
  const show = { session, places, options, paint, sink, timezone: 'UTC', progress, firstBytes }
  await showText(show, new FileVerdict(session.logs[0]))
  return sink
}

const lateId = '7d3f2a1c-0000-4c6d-9a0f-1e2d3c4b5a69'
const atOnce = Number.POSITIVE_INFINITY

/** The events of as many whole records of the main file as fit; none where that is not the first file. */
async function firstEvents(session: SessionFiles, bytes: number): Promise<SessionEvent[]> {
  const [main] = session.logs
  const events: SessionEvent[] = []
  if (main?.role !== 'session') return events
  for await (const event of readEvents(diskSource(), main, { session: session.id })) {
    if (event.source.offset + event.source.bytes > bytes) break
    events.push(event)
  }
  return events
}

/** The first items of every session, read from beginnings of many lengths, are those of the whole; gives how many there were. */
async function compareBeginnings(root: string, step: number): Promise<number> {
  const { sessions } = await discover(root)
  let early = 0
  for (const session of sessions) {
    const whole = viewSession(await loadSession(diskSource(), session))
    const size = session.logs[0]?.size ?? 0
    for (let bytes = step; bytes < size; bytes += Math.max(step, Math.floor(size / 12))) {
      const first = firstItems(session, await firstEvents(session, bytes))
      expect(first, `${session.id} after ${bytes} bytes`).toEqual(whole.slice(0, first.length))
      early += first.length
    }
  }
  return early
}

describe('in two steps', () => {
  it('every sample session looks as it does in one', async () => {
    const { sessions } = await discover(resolve('samples/home'))
    for (const session of sessions) {
      const whole = (await shown(session, atOnce)).lines
      for (const bytes of [12_000, 40_000]) {
        expect((await shown(session, bytes)).lines, `${session.id} after ${bytes} bytes`).toEqual(whole)
      }
    }
  })

  it('the first step gives what later records do not change, wherever it ends', async () => {
    expect(await compareBeginnings(resolve('samples/home'), 2_000)).toBeGreaterThan(100)
  })

  it('the same is true of real logs', { tags: ['corpus', 'deep'] }, async () => {
    let early = 0
    for (const home of clientHomes) early += await compareBeginnings(home, 20_000)
    expect(early).toBeGreaterThan(100)
  })
})

describe('a prompt that is behind the ends of the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-late-prompt-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([atOnce, 300 * 1024])('names the session at its head, after %d bytes', async firstBytes => {
    const sketch = new Sketch(lateId).user('c', null, '<command-name>/model</command-name>')
    const long = (uuid: string, parent: string) => sketch.answer(uuid, parent, 'word '.repeat(30_000))
    long('a1', 'c').user('p', 'a1', 'What it is about')
    for (const [parent, uuid] of [
      ['p', 'a2'],
      ['a2', 'a3'],
      ['a3', 'a4'],
    ] as const)
      long(uuid, parent)
    const project = join(folder, 'projects', '-p')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, `${lateId}.jsonl`), `${sketch.text()}\n`)
    const [session] = (await discover(folder)).sessions
    expect((await shown(session as SessionFiles, firstBytes)).lines[0]).toBe('What it is about')
  })
})

describe('real logs', { tags: ['corpus', 'deep'] }, () => {
  it('are shown whole, within forty columns and without a control character', async () => {
    let sessions = 0
    for (const folder of ['client', 'public', 'resume']) {
      for (const name of readdirSync(join(corpusFolder, folder))) {
        for (const session of (await discover(join(corpusFolder, folder, name))).sessions) {
          const items = viewSession(await loadSession(diskSource(), session))
          const lines = [...new SessionPainter({ ...paint, width: 40, isFull: true }).lines(items)]
          const wide = lines.filter(line => columnsOf(line) > 40)
          expect([session.logs[0]?.path, wide]).toEqual([session.logs[0]?.path, []])
          expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
          sessions++
        }
      }
    }
    expect(sessions).toBeGreaterThan(20)
  })
})

/** A session of many turns, with calls, parallel calls, thinking, hooks and a title at its end. */
function longSession(id: string, turns: number): string {
  let last: string | null = null
  let count = 0
  const out: string[] = []
  const add = (type: string, fields: object) => {
    const uuid = `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString()
    const record = { type, uuid, parentUuid: last, sessionId: id, timestamp, cwd: '/p', version: '2.1.100', ...fields }
    out.push(`${JSON.stringify({ isSidechain: false, ...record })}\n`)
    last = uuid
  }
  const answer = (message: string, block: object) =>
    add('assistant', { message: { role: 'assistant', id: message, model: 'claude-x', content: [block] } })
  for (let turn = 0; turn < turns; turn++) {
    add('user', { message: { role: 'user', content: `Question ${turn}: why is **${turn}** odd?` } })
    answer(`m${turn}`, { type: 'thinking', thinking: `line\n`.repeat(turn % 9), signature: 'x' })
    answer(`m${turn}`, { type: 'text', text: `Answer *${turn}*\n\n- one\n- two` })
    for (const call of [0, 1, 2]) {
      answer(`m${turn}`, { type: 'tool_use', id: `c${turn}-${call}`, name: 'Bash', input: { command: `echo ${call}` } })
    }
    for (const call of [1, 0, 2]) {
      const text = `output ${turn} ${call}\n`.repeat(1 + ((turn * 7 + call) % 40))
      const block = { type: 'tool_result', tool_use_id: `c${turn}-${call}`, content: text }
      add('user', { message: { role: 'user', content: [block] }, toolUseResult: { stdout: text, stderr: '' } })
    }
    add('system', { subtype: 'turn_duration', durationMs: 1000 + turn })
  }
  out.push(`${JSON.stringify({ type: 'custom-title', customTitle: 'A long one', sessionId: id })}\n`)
  return out.join('')
}

describe('a long session', () => {
  const id = '0c0ffee0-0000-4000-8000-00000000000a'
  let folder = ''
  let session: SessionFiles

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clew-show-'))
    const project = join(folder, 'projects', '-p')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, `${id}.jsonl`), longSession(id, 1500))
    session = (await discover(folder)).sessions[0] as SessionFiles
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('looks the same in two steps as in one', async () => {
    const whole = await shown(session, atOnce)
    const twoSteps = await shown(session, 512 * 1024)
    expect(twoSteps.lines.join('\n') === whole.lines.join('\n')).toBe(true)
    expect(whole.lines[0]).toBe('A long one')
    expect(whole.lines.join('\n')).toContain('Question 1499')
  })

  it('shows a screen before it reads the rest', async () => {
    const { flushes, lines } = await shown(session, 512 * 1024)
    expect(flushes[0]).toBeGreaterThan(50)
    expect(flushes[0]).toBeLessThan(200)
    expect(lines.length).toBeGreaterThan(10_000)
  })

  it('stops when no one reads any more', async () => {
    const inFirst = await shown(session, 512 * 1024, new TestSink(60))
    expect(inFirst.lines.length).toBe(60)
    const later = await shown(session, 512 * 1024, new TestSink(9_000))
    expect(later.lines.length).toBe(9_000)
  })
})
