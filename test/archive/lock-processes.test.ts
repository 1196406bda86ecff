// The lock between real processes, some of which are killed while they have it or while they remove another's.

import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lockHolder } from '../../src/files/lock.ts'

let root: string
let driver: string
let folder: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'clew-lock-'))
  driver = join(root, 'lock-driver.mjs')
  const entry = join(import.meta.dirname, 'lock-driver.ts')
  await build({
    entryPoints: [entry],
    outfile: driver,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
})

beforeEach(() => {
  folder = mkdtempSync(join(root, 'folder-'))
  writeFileSync(join(folder, 'count'), '0')
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** How the process ended: a signal, or `done`, or its exit code with what it complained about. */
function runDriver(times: number, end = ''): Promise<string> {
  const child = spawn(process.execPath, [driver, folder, String(times), end], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  return new Promise(done => {
    child.on('close', (code, signal) => done(signal ?? (code === 0 ? 'done' : `exit ${code}: ${complaint}`)))
  })
}

const count = () => Number(readFileSync(join(folder, 'count'), 'utf8'))

describe('the lock between processes', () => {
  test('lets one in at a time, and continues when holders are killed', { timeout: 120_000 }, async () => {
    const deaths = [runDriver(0, 'die-holding'), runDriver(7, 'die-holding'), runDriver(20, 'die-holding')]
    const lives = [1, 2, 3, 4, 5].map(() => runDriver(50))
    expect(await Promise.all(lives)).toEqual(['done', 'done', 'done', 'done', 'done'])
    expect(await Promise.all(deaths)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL'])
    expect(count()).toBe(5 * 50 + 7 + 20)
    expect(readdirSync(folder).filter(name => name.startsWith('lock.break'))).toEqual([])
  })

  test('lets one in at a time when all of them find the lock stale at once', { timeout: 120_000 }, async () => {
    const ends = await Promise.all([1, 2, 3, 4, 5, 6].map(() => runDriver(20, 'abandon')))
    expect(ends).toEqual(['done', 'done', 'done', 'done', 'done', 'done'])
    expect(count()).toBe(6 * 20)
    expect(lockHolder(folder)?.pid).toBe(999_999_999)
  })

  test('survives processes that die while they remove a stale lock', { timeout: 60_000 }, async () => {
    expect(await runDriver(1, 'die-holding')).toBe('SIGKILL')
    const stale = lockHolder(folder)
    for (const guards of [1, 2, 3]) {
      expect(await runDriver(1, 'die-breaking')).toBe('SIGKILL')
      expect(readdirSync(folder).filter(name => name.startsWith('lock.break-'))).toHaveLength(guards)
      expect(lockHolder(folder)).toEqual(stale)
    }
    expect(await Promise.all([1, 2, 3, 4].map(() => runDriver(5)))).toEqual(['done', 'done', 'done', 'done'])
    expect(count()).toBe(1 + 4 * 5)
    expect(readdirSync(folder)).toEqual(['count'])
  })
})
