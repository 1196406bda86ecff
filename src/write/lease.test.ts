import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Lease, lockFolderOf, withLog } from './lease.ts'
import { sessionOps } from './ops.ts'

let root: string
let clewHome: string
let path: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clew-lease-'))
  clewHome = join(root, 'clew')
  path = join(root, 'home', 's.jsonl')
  mkdirSync(join(root, 'home'))
  writeFileSync(path, '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const lease = (waitMs: number, at = path) => new Lease(sessionOps, at, { clewHome, waitMs })

describe('a lease of a log', () => {
  test('is a lock in the folder of Clew with process and start, and leaves nothing', async () => {
    const one = lease(0)
    await one.hold()
    const lock = join(lockFolderOf(clewHome, path), 'lock')
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid, what: 'append' })
    expect(readdirSync(join(root, 'home'))).toEqual(['s.jsonl'])
    one.end()
    expect(readdirSync(join(clewHome, 'locks'))).toEqual([])
  })

  test('is one for all names of the log, and refuses others or lets them wait', async () => {
    symlinkSync(join(root, 'home'), join(root, 'other-name'), 'junction')
    const one = lease(0)
    await one.hold(false)
    await expect(lease(0, join(root, 'other-name', 's.jsonl')).hold()).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`The session is locked by process ${process.pid}`),
    })
    const waiting = lease(5000)
    setTimeout(() => one.end(), 30)
    await waiting.hold()
    expect(one.isHeld).toBe(false)
    expect(waiting.isHeld).toBe(true)
    waiting.end()
  })

  test('ends by itself when its holder does something else', async () => {
    const one = lease(0)
    await one.hold()
    const other = lease(5000)
    await other.hold()
    expect(one.isHeld).toBe(false)
    other.end()
  })

  test('passes by a lock whose process is gone', async () => {
    const folder = lockFolderOf(clewHome, path)
    mkdirSync(folder, { recursive: true })
    const gone = { pid: 999_999_999, host: hostname(), started: '2026-01-01T00:00:00.000Z', what: 'append', key: 'x' }
    writeFileSync(join(folder, 'lock'), JSON.stringify(gone))
    const one = lease(0)
    await one.hold()
    one.end()
    expect(existsSync(folder)).toBe(false)
  })

  test('lasts as long as the work that is done under it', async () => {
    await withLog(sessionOps, path, { clewHome, waitMs: 0 }, async () => {
      await new Promise(done => setTimeout(done, 300))
      await expect(lease(0).hold()).rejects.toMatchObject({ code: 'locked' })
    })
    const after = lease(0)
    await after.hold()
    after.end()
  })
})
