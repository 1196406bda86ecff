// Forks and repairs of the app: what is shown before, what is written, and when nothing is. They are those of `clew fork` and
// `clew repair`; a change needs what every other one needs.

import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewSession, RepairReport } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import type { ServerData } from '../../src/server/api/data.ts'
import { openData } from '../../src/server/api/open-data.ts'
import { problemOf } from '../../src/server/http/problem.ts'
import { type RunningServer, startServer } from '../../src/server/http/server.ts'
import { confirming, fetchFrom, type Reply, signIn } from './client.ts'

/** The richest of the samples: subagents, a fork, a compaction. */
const session = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
const damaged = 'da3a9ed0-0000-4000-8000-000000000001'
const folder = mkdtempSync(join(tmpdir(), 'clew-new-'))
const claude = join(folder, 'claude')
const project = join(claude, 'projects', '-home-mira-bakery')
let data: ServerData
let server: RunningServer
let cookie = ''

beforeAll(async () => {
  cpSync(resolve('samples/home/projects/-home-mira-bakery'), project, { recursive: true })
  writeFileSync(join(project, `${damaged}.jsonl`), damagedLog())
  data = await openData({ home: join(folder, 'own'), roots: [claude] })
  server = await startServer({ data, web: null })
  cookie = await signIn(server)
  await data.answer('GET /api/search', { q: 'anything' })
}, 30_000)
afterAll(async () => {
  await server.close()
  await data.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Two prompts and two answers; the record of the first answer is torn, and nothing names its end. */
function damagedLog(): string {
  const base = {
    sessionId: damaged,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/mira/bakery',
    version: '2.1.0',
  }
  const uuid = (n: number) => `da3a9ed0-0000-4000-8000-00000000010${n}`
  const lines = [1, 2, 3, 4].map(n => {
    const isPrompt = n % 2 === 1
    const message = isPrompt
      ? { role: 'user', content: `Question ${n}` }
      : {
          id: `msg_${n}`,
          role: 'assistant',
          model: 'claude-opus-4-5',
          content: [{ type: 'text', text: `Answer ${n}` }],
        }
    return JSON.stringify({
      parentUuid: n === 1 ? null : uuid(n - 1),
      ...base,
      message,
      type: isPrompt ? 'user' : 'assistant',
      uuid: uuid(n),
      timestamp: `2026-01-01T00:00:0${n}.000Z`,
    })
  })
  return lines.map((line, at) => (at === 1 ? `${line.slice(0, -60)}\n` : `${line}\n`)).join('')
}

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetchFrom(server.port, path, { headers: { cookie, ...headers } })
const change = (path: string, confirm: string, headers: Record<string, string> = {}): Promise<Reply> => {
  const sent = confirming(cookie, confirm)
  return fetchFrom(server.port, path, { ...sent, headers: { ...sent.headers, ...headers } })
}
const of = (id: string, what: string) => `/api/sessions/${id}/${what}`
const json = <Value>({ text }: Reply) => JSON.parse(text) as Value
/** What is in the folder of the project, with its bytes. */
const onDisk = () =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter(one => one.isFile())
    .map(one => [join(one.parentPath, one.name), readFileSync(join(one.parentPath, one.name), 'utf8')].join('\n'))
    .sort()
const listed = async () => (await data.answer('GET /api/sessions', { limit: '200' })).sessions
async function firstPrompt(): Promise<string> {
  const outline = await data.answer('GET /api/sessions/:id/outline', {}, session)
  const [slot] = Object.keys(outline.prompts)
  return outline.ids[Number(slot)] ?? ''
}

describe('a fork', () => {
  it('is shown without a trace, and written when it is confirmed', async () => {
    const before = onDisk()
    const at = await firstPrompt()
    const preview = json<NewSession>(await ask(`${of(session, 'fork')}?at=${at}`))
    expect(lint('new-session', preview)).toEqual([])
    expect(preview).toMatchObject({ origin: session, dryRun: true, leaf: at, subagents: 0, openCalls: 0 })
    expect(onDisk()).toEqual(before)
    const reply = await change(`${of(session, 'fork')}?at=${at}&title=${encodeURIComponent('Another “way”')}`, session)
    const report = json<NewSession>(reply)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(report).toMatchObject({ dryRun: false, leaf: at, messages: preview.messages, title: 'Another “way”' })
    expect(report.command).toMatch(new RegExp(`claude --resume ${report.session}$`))
    expect(report.undo).toContain(join(project, `${report.session}.jsonl`))
    expect(report.files.every(path => existsSync(path))).toBe(true)
    // Nothing that was there has changed.
    expect(onDisk()).toEqual(expect.arrayContaining(before))
    expect((await listed()).find(one => one.id === report.session)).toMatchObject({
      title: 'Another “way”',
      prompts: 0,
    })
    const head = await data.answer('GET /api/sessions/:id', {}, report.session)
    expect(head.lineage).toMatchObject([{ session, relation: 'forked-from' }])
  }, 20_000)

  it('of all of a session has its subagents and a title of its own', async () => {
    const preview = json<NewSession>(await ask(of(session, 'fork')))
    const { title } = await data.answer('GET /api/sessions/:id', {}, session)
    expect(preview.title).toBe(`${title} (fork)`)
    expect(preview.subagents).toBeGreaterThan(0)
    expect(preview.files).toHaveLength(new Set(preview.files).size)
    expect(preview.files.length).toBeGreaterThan(preview.subagents ?? 0)
    const { bytes, files } = json<NewSession>(await change(of(session, 'fork'), session))
    expect([bytes, files.length]).toEqual([preview.bytes, preview.files.length])
    expect(files.reduce((sum, path) => sum + statSync(path).size, 0)).toBe(bytes)
  })

  it('cannot end at an event that is not there, or begin at a session that is not', async () => {
    const before = onDisk()
    for (const at of ['nothing', '../../../etc/passwd', '%00'.slice(1), '<script>', 'x'.repeat(400)]) {
      const query = `?at=${encodeURIComponent(at)}`
      for (const reply of [
        await ask(of(session, 'fork') + query),
        await change(of(session, 'fork') + query, session),
      ]) {
        expect([at, reply.status, json(reply)]).toEqual([
          at,
          404,
          { error: `no event "${at}" in this session; to list them: clew events` },
        ])
      }
    }
    expect((await ask(of('nobody', 'fork'))).status).toBe(404)
    expect((await change(of('nobody', 'repair'), 'nobody')).status).toBe(404)
    expect((await ask(`${of(session, 'fork')}?at=${'x'.repeat(401)}`)).status).toBe(400)
    expect((await ask(`${of(session, 'fork')}?title=${'x'.repeat(2001)}`)).status).toBe(400)
    expect((await ask(`${of(session, 'fork')}?at=a&at=b`)).status).toBe(400)
    expect(onDisk()).toEqual(before)
  })

  it('with a title of odd letters is a record like any other', async () => {
    const title = '"},{"type":"user"}\n\u202e../../x\u0007'
    const report = json<NewSession>(await change(`${of(session, 'fork')}?title=${encodeURIComponent(title)}`, session))
    expect(report.files.every(path => path.startsWith(join(project, report.session)))).toBe(true)
    const lines = readFileSync(report.files[0] ?? '', 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map(line => JSON.parse(line)).filter(one => one.type === 'custom-title')).toMatchObject([
      { customTitle: title },
    ])
  })
})

describe('a repair', () => {
  it('is shown line by line, and written as a new session', async () => {
    const before = onDisk()
    const preview = json<RepairReport>(await ask(of(damaged, 'repair')))
    expect(lint('repair-report', preview)).toEqual([])
    expect(preview).toMatchObject({ dryRun: true, inPlace: false, written: { dryRun: true } })
    expect(preview.changes.find(({ line }) => line === 2)).toMatchObject({
      kind: 'torn',
      after: expect.stringContaining('Answer 2'),
    })
    expect(preview.after.messages).toBeGreaterThan(preview.before.messages)
    expect(onDisk()).toEqual(before)
    const report = json<RepairReport>(await change(of(damaged, 'repair'), damaged))
    expect(report).toMatchObject({ dryRun: false, inPlace: false, after: preview.after })
    expect(report.written).toMatchObject({ origin: damaged, dryRun: false, messages: preview.after.messages })
    expect(onDisk()).toEqual(expect.arrayContaining(before))
    expect((await listed()).find(one => one.id === report.written?.session)?.title).toMatch(/\(repaired\)$/)
  }, 20_000)

  it('of a session without damage writes nothing', async () => {
    const before = onDisk()
    const report = json<RepairReport>(await change(of(session, 'repair'), session))
    expect(report).toMatchObject({ changes: [], dryRun: true })
    expect(report.written).toBeUndefined()
    expect(onDisk()).toEqual(before)
  })
})

describe('nothing is written', () => {
  it('without the confirmation, or for another site', async () => {
    const before = onDisk()
    for (const what of ['fork', 'repair']) {
      const path = of(damaged, what)
      const replies = [
        await change(path, session),
        await change(path, damaged, { 'x-clew': '0' }),
        await change(path, damaged, { origin: 'http://evil.example' }),
        await change(path, damaged, { 'sec-fetch-site': 'cross-site' }),
        await change(path, damaged, { 'content-type': 'text/plain' }),
        await change(path, damaged, { cookie: '' }),
        await ask(path, { origin: 'http://evil.example' }),
      ]
      expect([what, ...replies.map(({ status }) => status)]).toEqual([what, 400, 403, 403, 403, 415, 401, 403])
    }
    expect(onDisk()).toEqual(before)
  })

  it('while something may be writing the session', async () => {
    const id = 'da3a9ed0-0000-4000-8000-000000000002'
    const path = join(project, `${id}.jsonl`)
    const record = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: id, cwd: '/home/mira/bakery' }
    const message = { role: 'user', content: 'Just now' }
    appendFileSync(path, `${JSON.stringify({ ...record, timestamp: new Date().toISOString(), message })}\n{"torn`)
    await expect.poll(async () => (await ask(of(id, 'fork'))).status, { timeout: 8000 }).not.toBe(404)
    const before = onDisk()
    for (const what of ['fork', 'repair']) {
      for (const reply of [await ask(of(id, what)), await change(of(id, what), id)]) {
        expect([reply.status, json(reply)]).toEqual([
          409,
          { error: `${id} may be in use: its last record is less than a minute old.` },
        ])
      }
    }
    expect(onDisk()).toEqual(before)
  }, 20_000)

  it('with a token that only reads, or into the bundled samples', async () => {
    const before = onDisk()
    const readOnly = await openData({ home: join(folder, 'own'), roots: [claude], isReadOnly: true })
    const samples = await openData({ home: join(folder, 'other'), roots: [resolve('samples/home')] })
    try {
      await expect(samples.answer('POST /api/sessions/:id/fork', {}, session)).rejects.toThrow(
        'The sample history is not written to',
      )
      for (const name of ['fork', 'repair'] as const) {
        for (const method of ['GET', 'POST'] as const) {
          const error = await readOnly
            .answer(`${method} /api/sessions/:id/${name}`, {}, damaged)
            .catch(thrown => thrown)
          expect([problemOf(error)?.status, error.message]).toEqual([403, 'Nothing can be written here.'])
        }
      }
    } finally {
      await Promise.all([readOnly.close(), samples.close()])
    }
    expect(onDisk()).toEqual(before)
  })
})
