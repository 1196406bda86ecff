import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileError } from './error.ts'
import { acquireLock, holderFromText, type LockHolder, lockHolder, ourselves, stateOf } from './lock.ts'
import { realOps } from './ops.ts'

const deadPid = 999_999_999

let folder: string
let lockFile: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-lock-'))
  lockFile = join(folder, 'lock')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const acquire = (waitMs = 0, onWait?: (holder: LockHolder) => void) =>
  acquireLock(realOps, folder, { what: 'run', waitMs, ...(onWait && { onWait }) })

/** A lock file of someone else, `ageMs` old. */
function leaveLock(content: Partial<LockHolder> | string, ageMs = 0): void {
  const text = typeof content === 'string' ? content : JSON.stringify({ ...ourselves('run'), ...content })
  writeFileSync(lockFile, text)
  const seconds = (Date.now() - ageMs) / 1000
  utimesSync(lockFile, seconds, seconds)
}

async function failureOf(attempt: Promise<unknown>): Promise<FileError> {
  const error = await attempt.then(
    () => null,
    (caught: unknown) => caught,
  )
  if (!(error instanceof FileError)) throw new Error(`not refused: ${String(error)}`)
  return error
}

describe('taking and giving back', () => {
  test('the file names its holder, for the owner alone, and goes away on release', async () => {
    const lock = await acquire()
    const holder = holderFromText(readFileSync(lockFile, 'utf8'))
    expect(holder).toMatchObject({ pid: process.pid, host: hostname(), what: 'run' })
    expect(holder).toEqual(lockHolder(folder))
    if (process.platform !== 'win32') expect(statSync(lockFile).mode & 0o777).toBe(0o600)
    lock.release()
    expect(readdirSync(folder)).toEqual([])
    expect(lockHolder(folder)).toBeNull()
  })

  test('a second attempt is refused with who has it, for what and since when', async () => {
    const lock = await acquire()
    const error = await failureOf(acquire())
    expect(error.code).toBe('locked')
    expect(error.path).toBe(lockFile)
    expect(error.message).toContain(`process ${process.pid} (run) since ${lock.holder.started}`)
    lock.release()
  })

  test('reports a wait once, and takes the lock when it is free', async () => {
    const lock = await acquire()
    const reported: LockHolder[] = []
    const waiting = acquire(10_000, holder => reported.push(holder))
    setTimeout(() => lock.release(), 350)
    const second = await waiting
    expect(reported).toEqual([lock.holder])
    second.release()
  })

  test('one who waited in vain is refused after the time it gave', async () => {
    leaveLock({})
    const begin = performance.now()
    expect((await failureOf(acquire(300))).code).toBe('locked')
    expect(performance.now() - begin).toBeGreaterThan(250)
  })

  test('release leaves the lock of another alone', async () => {
    const lock = await acquire()
    rmSync(lockFile)
    const other = await acquire()
    lock.release()
    expect(lockHolder(folder)).toEqual(other.holder)
    other.release()
    other.release()
    expect(existsSync(lockFile)).toBe(false)
  })

  test('a lock that could not be written leaves nothing behind', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    const ops = {
      ...realOps,
      write: () => {
        throw full
      },
    }
    await expect(acquireLock(ops, folder, { what: 'run', waitMs: 0 })).rejects.toBe(full)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a lock whose holder is gone', () => {
  test('is taken over when the process does not exist', async () => {
    leaveLock({ pid: deadPid })
    ;(await acquire()).release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is taken over after a restart, though the number lives again', { tags: 'linux' }, async () => {
    leaveLock({ boot: 'another' })
    ;(await acquire()).release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is taken over when the number belongs to a later process', { tags: 'linux' }, async () => {
    leaveLock({ start: '1' })
    ;(await acquire()).release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is respected while it may be being written, and taken over when it stays unreadable', async () => {
    for (const content of ['', '{"pid":', '\0\0\0\0']) {
      leaveLock(content, 1000)
      expect((await failureOf(acquire())).message).toContain('is being written, or was left behind')
      leaveLock(content, 31_000)
      ;(await acquire()).release()
    }
  })

  test('is not judged by its age alone', async () => {
    leaveLock({ started: '2001-01-01T00:00:00.000Z' }, 1e9)
    expect((await failureOf(acquire())).code).toBe('locked')
  })

  test('leaves no guard that blocks the next one', async () => {
    const guard = join(folder, 'lock.break-0123456789abcdef-0')
    writeFileSync(guard, JSON.stringify({ ...ourselves('break'), pid: deadPid }))
    ;(await acquire()).release()
    expect(existsSync(guard)).toBe(false)
  })

  test('is left to the one who is already removing it', async () => {
    leaveLock({ pid: deadPid })
    const ops = { ...realOps, unlink: () => {} }
    // The guard stays because this unlink does nothing; its holder is this living process.
    await failureOf(acquireLock(ops, folder, { what: 'run', waitMs: 50 }))
    expect(readdirSync(folder).filter(name => name.startsWith('lock.break-'))).toHaveLength(1)
    expect((await failureOf(acquire(150))).code).toBe('locked')
    expect(lockHolder(folder)?.pid).toBe(deadPid)
  })
})

describe('a lock from elsewhere', () => {
  test('is never taken over, and the refusal names the machine and the file', async () => {
    leaveLock({ host: 'other-machine', pid: deadPid }, 1e9)
    const error = await failureOf(acquire())
    expect(error.message).toContain('on other-machine (run)')
    expect(error.message).toContain(lockFile)
    expect(existsSync(lockFile)).toBe(true)
  })

  test('is refused without waiting when it is older than a day', async () => {
    const started = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString()
    leaveLock({ host: 'other-machine', pid: deadPid, started })
    // Longer than the test runner waits.
    const error = await failureOf(acquire(600_000))
    expect(error.code).toBe('locked')
    expect(error.message).toContain(`more than a day ago: if nothing runs there any more, remove ${lockFile}`)
  })

  test('counts containers that share the host name', { tags: 'linux' }, () => {
    expect(stateOf({ ...ourselves('run'), pid: deadPid, space: 'pid:[1]' })).toBe('elsewhere')
    expect(stateOf({ ...ourselves('run'), pid: deadPid, space: 'pid:[1]', boot: 'another' })).toBe('gone')
  })
})

describe('what is not a lock', () => {
  test('a link is not followed', { tags: 'posix' }, async () => {
    const target = join(folder, 'target')
    writeFileSync(target, 'precious')
    symlinkSync(target, lockFile)
    await expect(acquire()).rejects.toThrow('ELOOP')
    expect(readFileSync(target, 'utf8')).toBe('precious')
  })

  test('a lock that may not be read is not judged', { tags: ['posix', 'user'] }, async () => {
    leaveLock({ pid: deadPid }, 1e9)
    chmodSync(lockFile, 0)
    expect((await failureOf(acquire())).message).toContain('locked by another user')
  })
})
