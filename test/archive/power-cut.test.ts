// Shows that the simulated disk loses what a real one may lose, and that the archive's way of writing survives it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AsideFile, ensureFolder, writeWhole } from '../../src/files/durable.ts'
import { acquireLock } from '../../src/files/lock.ts'
import { realOps, type WriteOps } from '../../src/files/ops.ts'
import { crashStates, everyCrashState, SimulatedDisk } from './power-cut.ts'

const before = Buffer.alloc(3000, 'old ')
const after = Buffer.alloc(5000, 'new ')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-power-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The wrong order, on purpose: the name is there before the bytes. */
function writeWithoutSync(ops: WriteOps, path: string, bytes: Uint8Array): void {
  const fd = ops.create(`${path}.tmp`, 0o600)
  ops.write(fd, bytes)
  ops.close(fd)
  ops.rename(`${path}.tmp`, path)
  ops.syncFolder(dirname(path))
}

async function replaceAndCut(write: (ops: WriteOps, path: string) => void): Promise<Set<string>> {
  const path = join(folder, 'file')
  writeFileSync(path, before)
  const found = new Set<string>()
  let acknowledged = Number.POSITIVE_INFINITY
  await everyCrashState(
    folder,
    async ops => {
      write(ops, path)
      acknowledged = ops.issued
    },
    async (cut, cutAfter) => {
      const bytes = readFileSync(join(cut, 'file'))
      if (!bytes.equals(before) && !bytes.equals(after)) throw new Error(`${bytes.length} bytes that nobody wrote`)
      if (cutAfter >= acknowledged && !bytes.equals(after)) throw new Error('what was acknowledged is lost')
      found.add(bytes.equals(before) ? 'old' : 'new')
    },
    { samplesPerCut: 20 },
  )
  return found
}

describe('a power cut', () => {
  test('leaves the old or the new content whole, wherever it comes', async () => {
    expect(await replaceAndCut((ops, path) => writeWhole(ops, path, after))).toEqual(new Set(['old', 'new']))
  })

  test('shows a file that was renamed before it was synced', async () => {
    const run = replaceAndCut((ops, path) => writeWithoutSync(ops, path, after))
    await expect(run).rejects.toThrow('bytes that nobody wrote')
  })

  test('shows a rename that was acknowledged before its folder was synced', async () => {
    const lazy = (ops: WriteOps): WriteOps => ({ ...bound(ops), syncFolder: () => {} })
    const run = replaceAndCut((ops, path) => writeWhole(lazy(ops), path, after))
    await expect(run).rejects.toThrow('what was acknowledged is lost')
  })

  test('never loses a committed file in folders that were made for it', async () => {
    let acknowledged = Number.POSITIVE_INFINITY
    const deep = join(folder, 'archive', 'packs')
    const count = await everyCrashState(
      folder,
      async ops => {
        ensureFolder(ops, deep)
        const aside = new AsideFile(ops, deep)
        aside.write(before)
        aside.write(after)
        aside.commit('pack')
        acknowledged = ops.issued
      },
      async (cut, cutAfter) => {
        const path = join(cut, 'archive', 'packs', 'pack')
        const bytes = statSync(path, { throwIfNoEntry: false }) && readFileSync(path)
        if (bytes) expect(bytes.equals(Buffer.concat([before, after]))).toBe(true)
        if (cutAfter >= acknowledged) expect(bytes).toBeDefined()
      },
      { samplesPerCut: 12 },
    )
    expect(count).toBeGreaterThan(20)
  })

  test('leaves no lock that the next writer has to wait for', async () => {
    const count = await everyCrashState(
      folder,
      async ops => (await acquireLock(ops, folder, { what: 'run', waitMs: 0 })).release(),
      async cut => (await acquireLock(realOps, cut, { what: 'run', waitMs: 0 })).release(),
      { samplesPerCut: 12 },
    )
    expect(count).toBeGreaterThan(8)
  })
})

describe('the simulated disk', () => {
  function statesOf(run: (ops: WriteOps) => void): string[][] {
    const disk = new SimulatedDisk(folder)
    run(disk)
    const last = [...crashStates(disk.log, { seed: 7, samplesPerCut: 200 })].filter(s => s.cutAfter === disk.issued)
    return last.map(state => [...state.files.keys(), ...[...state.folders.keys()].filter(Boolean)].sort())
  }

  test('does the work for real', () => {
    const disk = new SimulatedDisk(folder)
    writeWhole(disk, join(folder, 'file'), after)
    expect(readFileSync(join(folder, 'file')).equals(after)).toBe(true)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  test('lets any subset of unsynced names happen, and no other', () => {
    writeFileSync(join(folder, 'gone'), 'x')
    const seen = statesOf(ops => {
      ops.close(ops.create(join(folder, 'made'), 0o600))
      ops.unlink(join(folder, 'gone'))
    })
    expect(new Set(seen.map(names => names.join(' ')))).toEqual(new Set(['made', 'gone', 'gone made', '']))
  })

  test('lets a rename happen as a whole or not at all, across folders too', () => {
    for (const name of ['a', 'b']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'a', 'file'), 'x')
    const seen = statesOf(ops => {
      ops.rename(join(folder, 'a', 'file'), join(folder, 'b', 'file'))
      ops.syncFolder(join(folder, 'b'))
    })
    expect(new Set(seen.map(names => names.join(' ')))).toEqual(new Set(['a a/file b', 'a b b/file']))
  })

  test('keeps what was synced and loses any part of what was not', () => {
    const disk = new SimulatedDisk(folder)
    const fd = disk.create(join(folder, 'file'), 0o600)
    disk.syncFolder(folder)
    disk.write(fd, before)
    disk.sync(fd)
    disk.write(fd, after)
    const last = [...crashStates(disk.log, { seed: 3, samplesPerCut: 100 })].filter(s => s.cutAfter === disk.issued)
    const contents = last.map(state => Buffer.from(state.files.get('file')?.bytes ?? ''))
    expect(contents.every(bytes => bytes.subarray(0, before.length).equals(before))).toBe(true)
    const whole = before.length + after.length
    expect(contents.some(bytes => bytes.length === before.length)).toBe(true)
    expect(contents.some(bytes => bytes.length > before.length && bytes.length < whole)).toBe(true)
    expect(
      contents.some(bytes => bytes.length === whole && bytes.subarray(before.length).every(byte => byte === 0)),
    ).toBe(true)
    expect(contents.some(bytes => bytes.equals(Buffer.concat([before, after])))).toBe(true)
    disk.close(fd)
  })

  test('refuses paths that it does not have', () => {
    const disk = new SimulatedDisk(folder)
    const outside = mkdtempSync(join(tmpdir(), 'clew-outside-'))
    try {
      expect(() => writeWhole(disk, join(outside, 'file'), after)).toThrow('not on the simulated disk')
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })
})

/** The same operations as a plain object, whose parts can be replaced. */
function bound(ops: WriteOps): WriteOps {
  return {
    create: (path, mode) => ops.create(path, mode),
    write: (fd, bytes) => ops.write(fd, bytes),
    sync: fd => ops.sync(fd),
    close: fd => ops.close(fd),
    rename: (from, to) => ops.rename(from, to),
    link: (from, to) => ops.link(from, to),
    unlink: path => ops.unlink(path),
    makeFolder: (path, mode) => ops.makeFolder(path, mode),
    removeFolder: path => ops.removeFolder(path),
    syncFolder: path => ops.syncFolder(path),
    setTimes: (path, atimeMs, mtimeMs) => ops.setTimes(path, atimeMs, mtimeMs),
    setMode: (path, mode) => ops.setMode(path, mode),
  }
}
