import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openData, ProblemError, type ServerData } from './data.ts'

const id = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
let folder: string
let claude: string
let own: string
let data: ServerData

const path = () => join(claude, 'projects', '-home-mira-bakery', `${id}.jsonl`)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clew-keeping-'))
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
  await data.search({ q: 'anything' })
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
  return error instanceof ProblemError ? error.status : -1
}

it('keeps what is there, and tells what the client is about to delete', async () => {
  const before = await data.keeping()
  expect(before).toMatchObject({ hasArchive: false, mode: 'auto', files: 0, gone: [], isReadOnly: false })
  expect(before.unkeptBytes).toBeGreaterThan(1000)
  expect(before.expiring[0]).toMatchObject({ session: id, isKept: false })
  const kept = await data.keepNow()
  expect(kept.files).toBeGreaterThan(4)
  const after = await data.keeping()
  expect(after).toMatchObject({ hasArchive: true, unkeptBytes: 0 })
  expect(after.expiring[0]).toMatchObject({ session: id, isKept: true })
  expect((await data.list({ is: 'expiring' })).sessions).toMatchObject([{ id, isKept: true }])
})

it('shows a session that the client deleted, and brings it back byte for byte', async () => {
  const bytes = readFileSync(path())
  await data.keepNow()
  const outline = await data.outline(id, {})
  rmSync(path())
  rmSync(join(claude, 'projects', '-home-mira-bakery', id), { recursive: true, force: true })
  await data.close()
  data = await openData({ home: own, roots: [claude] })
  await expect.poll(async () => (await data.keeping()).gone, { timeout: 8_000 }).toMatchObject([{ session: id }])
  expect((await data.outline(id, {})).ids).toEqual(outline.ids)
  expect(await data.head(id)).toMatchObject({ onDisk: false, isKept: true })
  expect((await data.restore(id)).files).toBeGreaterThan(0)
  expect(readFileSync(path()).equals(bytes)).toBe(true)
  expect(await data.head(id)).toMatchObject({ onDisk: true })
  expect((await data.keeping()).gone).toEqual([])
}, 20_000)

it('does not replace a file with other content', async () => {
  await data.keepNow()
  writeFileSync(path(), '{}\n')
  const old = new Date(Date.now() - 3_600_000)
  utimesSync(path(), old, old)
  expect(await statusOf(() => data.restore(id))).toBe(409)
  expect(readFileSync(path(), 'utf8')).toBe('{}\n')
})

it('forgets what is kept, and leaves the client’s files alone', async () => {
  await data.keepNow()
  expect((await data.forget(id)).files).toBeGreaterThan(0)
  expect(existsSync(path())).toBe(true)
  expect(await statusOf(() => data.restore(id))).toBe(404)
  expect(await statusOf(() => data.forget('nobody'))).toBe(404)
}, 20_000)

it('changes nothing where it must not', async () => {
  const shy = await openData({ home: own, roots: [claude], isReadOnly: true })
  try {
    expect(shy.isReadOnly).toBe(true)
    expect(await statusOf(() => shy.keepNow())).toBe(403)
    expect(await statusOf(() => shy.restore(id))).toBe(403)
    expect(await statusOf(() => shy.forget(id))).toBe(403)
    expect((await shy.keeping()).isReadOnly).toBe(true)
    expect(existsSync(join(own, 'archive'))).toBe(false)
  } finally {
    await shy.close()
  }
})

it('keeps nothing where people switched it off', async () => {
  await data.close()
  writeFileSync(join(own, 'config.json'), '{"archive":"off"}')
  data = await openData({ home: own, roots: [claude] })
  expect(await statusOf(() => data.keepNow())).toBe(409)
  expect((await data.keeping()).mode).toBe('off')
})
