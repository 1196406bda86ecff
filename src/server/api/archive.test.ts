import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { problemOf } from '../http/problem.ts'
import type { ServerData } from './data.ts'
import { openData } from './open-data.ts'

const id = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
let folder: string
let claude: string
let own: string
let data: ServerData

const path = () => join(claude, 'projects', '-home-mira-bakery', `${id}.jsonl`)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clew-archive-'))
  claude = join(folder, 'claude')
  own = join(folder, 'own')
  cpSync(
    resolve(process.cwd(), 'samples/home/projects/-home-mira-bakery'),
    join(claude, 'projects/-home-mira-bakery'),
    {
      recursive: true,
    },
  )
  const old = new Date(Date.now() - 28 * 86_400_000)
  utimesSync(path(), old, old)
  data = await openData({ home: own, roots: [claude] })
  // Waits for the index.
  await data.answer('GET /api/search', { q: 'anything' })
}, 20_000)
afterEach(async () => {
  await data.close()
  rmSync(folder, { recursive: true, force: true })
})

async function statusOf(act: () => Promise<unknown>): Promise<number> {
  const error = await act().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return problemOf(error)?.status ?? -1
}

it('archives what is there, and lists what Claude Code will delete', async () => {
  const before = await data.answer('GET /api/archive', {})
  expect(before).toMatchObject({ hasArchive: false, mode: 'manual', files: 0, gone: [], isReadOnly: false })
  expect(before.unarchivedBytes).toBeGreaterThan(1000)
  // As the list has it, sessions without a main file included.
  expect(before.unarchivedSessions).toBe((await data.answer('GET /api/sessions', { is: 'unarchived' })).total)
  expect(before.expiring[0]).toMatchObject({ session: id, isArchived: false })
  const archived = await data.answer('POST /api/archive/run', {})
  expect(archived.files).toBeGreaterThan(4)
  const after = await data.answer('GET /api/archive', {})
  expect(after).toMatchObject({ hasArchive: true, unarchivedBytes: 0, unarchivedSessions: 0 })
  expect(after.expiring[0]).toMatchObject({ session: id, isArchived: true })
  expect((await data.answer('GET /api/sessions', { is: 'expiring' })).sessions).toMatchObject([{ id, archived: true }])
})

it('shows a session that Claude Code deleted, and restores it byte for byte', async () => {
  const bytes = readFileSync(path())
  await data.answer('POST /api/archive/run', {})
  const outline = await data.answer('GET /api/sessions/:id/outline', {}, id)
  rmSync(path())
  rmSync(join(claude, 'projects', '-home-mira-bakery', id), { recursive: true, force: true })
  await data.close()
  data = await openData({ home: own, roots: [claude] })
  await expect
    .poll(async () => (await data.answer('GET /api/archive', {})).gone, { timeout: 8_000 })
    .toMatchObject([{ session: id }])
  expect((await data.answer('GET /api/sessions/:id/outline', {}, id)).ids).toEqual(outline.ids)
  expect(await data.answer('GET /api/sessions/:id', {}, id)).toMatchObject({ onDisk: false, isArchived: true })
  expect((await data.answer('POST /api/sessions/:id/restore', {}, id)).files).toBeGreaterThan(0)
  expect(readFileSync(path()).equals(bytes)).toBe(true)
  expect(await data.answer('GET /api/sessions/:id', {}, id)).toMatchObject({ onDisk: true })
  expect((await data.answer('GET /api/archive', {})).gone).toEqual([])
}, 20_000)

it('does not replace a file with other content', async () => {
  await data.answer('POST /api/archive/run', {})
  writeFileSync(path(), '{}\n')
  const old = new Date(Date.now() - 3_600_000)
  utimesSync(path(), old, old)
  expect(await statusOf(() => data.answer('POST /api/sessions/:id/restore', {}, id))).toBe(409)
  expect(readFileSync(path(), 'utf8')).toBe('{}\n')
})

it('forgets what is archived, and leaves Claude Code’s files alone', async () => {
  await data.answer('POST /api/archive/run', {})
  expect((await data.answer('POST /api/sessions/:id/forget', {}, id)).files).toBeGreaterThan(0)
  expect(existsSync(path())).toBe(true)
  expect(await statusOf(() => data.answer('POST /api/sessions/:id/restore', {}, id))).toBe(404)
  expect(await statusOf(() => data.answer('POST /api/sessions/:id/forget', {}, 'nobody'))).toBe(404)
}, 20_000)

it('changes nothing where it must not', async () => {
  const readOnly = await openData({ home: own, roots: [claude], isReadOnly: true })
  try {
    expect(readOnly.isReadOnly).toBe(true)
    expect(await statusOf(() => readOnly.answer('POST /api/archive/run', {}))).toBe(403)
    expect(await statusOf(() => readOnly.answer('POST /api/sessions/:id/restore', {}, id))).toBe(403)
    expect(await statusOf(() => readOnly.answer('POST /api/sessions/:id/forget', {}, id))).toBe(403)
    expect((await readOnly.answer('GET /api/archive', {})).isReadOnly).toBe(true)
    expect(existsSync(join(own, 'archive'))).toBe(false)
  } finally {
    await readOnly.close()
  }
})

it('archives nothing where it is switched off', async () => {
  await data.close()
  writeFileSync(join(own, 'config.json'), '{"archive":"off"}')
  data = await openData({ home: own, roots: [claude] })
  expect(await statusOf(() => data.answer('POST /api/archive/run', {}))).toBe(409)
  expect((await data.answer('GET /api/archive', {})).mode).toBe('off')
})
