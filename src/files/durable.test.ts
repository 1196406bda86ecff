import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AsideFile, ensureFolder, isAside, sweepAside, writeWhole } from './durable.ts'
import { FileError, writeFailure } from './error.ts'
import { realOps, type WriteOps } from './ops.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-durable-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const names: (keyof WriteOps)[] = ['create', 'write', 'sync', 'close', 'rename', 'unlink', 'makeFolder', 'syncFolder']

/** Real operations that note their names; the one at `failAt` throws EIO instead. */
function watched(calls: string[], failAt = Number.POSITIVE_INFINITY): WriteOps {
  const ops = { ...realOps }
  for (const name of names) {
    const real = realOps[name] as (...args: unknown[]) => unknown
    const act = (...args: unknown[]) => {
      calls.push(name)
      if (calls.length - 1 === failAt) throw Object.assign(new Error('injected'), { code: 'EIO' })
      return real(...args)
    }
    Object.assign(ops, { [name]: act })
  }
  return ops
}

describe('writing a whole file', () => {
  test('happens in the order that survives a cut', () => {
    const calls: string[] = []
    writeWhole(watched(calls), join(folder, 'file'), Buffer.from('content'))
    expect(calls).toEqual(['create', 'write', 'sync', 'close', 'rename', 'syncFolder'])
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('content')
    if (process.platform !== 'win32') expect(statSync(join(folder, 'file')).mode & 0o777).toBe(0o600)
  })

  test('leaves the old content and no leftover when any step fails', () => {
    const path = join(folder, 'file')
    for (let failAt = 0; failAt < 6; failAt++) {
      writeFileSync(path, 'old')
      expect(() => writeWhole(watched([], failAt), path, Buffer.from('new'))).toThrow('injected')
      expect(readdirSync(folder)).toEqual(['file'])
      // Once renamed, the new content is there; only its durability is in doubt.
      expect(readFileSync(path, 'utf8')).toBe(failAt < 5 ? 'old' : 'new')
    }
  })

  test('does not write through a link at its name', { tags: 'posix' }, () => {
    writeFileSync(join(folder, 'target'), 'precious')
    symlinkSync(join(folder, 'target'), join(folder, 'file'))
    writeWhole(realOps, join(folder, 'file'), Buffer.from('content'))
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('precious')
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('content')
  })
})

describe('a file written aside', () => {
  test('has its name only when it is complete', () => {
    const aside = new AsideFile(realOps, folder)
    aside.write(Buffer.from('one '))
    aside.write(Buffer.from('two'))
    expect(aside.bytes).toBe(7)
    expect(readdirSync(folder).every(isAside)).toBe(true)
    aside.commit('pack')
    expect(readdirSync(folder)).toEqual(['pack'])
    expect(readFileSync(join(folder, 'pack'), 'utf8')).toBe('one two')
    aside.discard()
    expect(readdirSync(folder)).toEqual(['pack'])
    expect(() => aside.write(Buffer.from('late'))).toThrow(FileError)
  })

  test('leaves nothing when it is discarded, however often', () => {
    const aside = new AsideFile(realOps, folder)
    aside.write(Buffer.from('content'))
    aside.discard()
    aside.discard()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is swept after a kill, and nothing else is', () => {
    for (const name of ['pack', 'pack.tmp-12', 'a.tmp-1-0123456', 'note.tmp-x-01234567', 'tmp-1-01234567']) {
      writeFileSync(join(folder, name), '')
    }
    mkdirSync(join(folder, 'folder.tmp-1-01234567'))
    const kept = readdirSync(folder)
    new AsideFile(realOps, folder)
    writeFileSync(join(folder, 'seen.tsv.tmp-4711-89abcdef'), 'half')
    sweepAside(realOps, folder)
    expect(readdirSync(folder)).toEqual(kept)
    expect(() => sweepAside(realOps, join(folder, 'missing'))).not.toThrow()
  })
})

describe('making folders', () => {
  test('makes what is missing for the owner alone and syncs every parent', () => {
    const calls: string[] = []
    writeFileSync(join(folder, 'something'), '')
    ensureFolder(watched(calls), join(folder, 'a', 'b'))
    expect(calls).toEqual(['makeFolder', 'syncFolder', 'makeFolder', 'syncFolder'])
    if (process.platform !== 'win32') expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700)
  })

  test('does nothing for one in use, and syncs the name of one that a killed writer may have just made', () => {
    const path = join(folder, 'a')
    mkdirSync(path)
    const calls: string[] = []
    ensureFolder(watched(calls), path)
    expect(calls).toEqual(['syncFolder'])
    writeFileSync(join(path, 'file'), '')
    ensureFolder(watched(calls), path)
    expect(calls).toEqual(['syncFolder'])
  })

  test('refuses a file', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => ensureFolder(realOps, join(folder, 'file'))).toThrow('is not a folder')
    expect(() => ensureFolder(realOps, join(folder, 'file', 'below'))).toThrow('ENOTDIR')
  })

  test('refuses a link and a dangling link', { tags: 'posix' }, () => {
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'))
    expect(() => ensureFolder(realOps, join(folder, 'link'))).toThrow('is a link')
    expect(() => ensureFolder(realOps, join(folder, 'dangling'))).toThrow('is a link')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })
})

describe('a full disk', () => {
  test('is one clear error, and what was there stays', { tags: 'mount' }, () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'pipe' })
    try {
      const path = join(folder, 'file')
      writeWhole(realOps, path, Buffer.alloc(100_000, 'a'))
      const failure = failureOf(() => writeWhole(realOps, path, Buffer.alloc(300_000, 'b')), path)
      expect(failure.code).toBe('ENOSPC')
      expect(failure.message).toContain('The disk is full')
      expect(readdirSync(folder)).toEqual(['file'])
      expect(readFileSync(path).equals(Buffer.alloc(100_000, 'a'))).toBe(true)
      writeWhole(realOps, path, Buffer.alloc(100_000, 'c'))
      expect(readFileSync(path).equals(Buffer.alloc(100_000, 'c'))).toBe(true)
    } finally {
      execFileSync('umount', [folder])
    }
  })
})

function failureOf(act: () => void, path: string): FileError {
  try {
    act()
  } catch (error) {
    return writeFailure(error, path)
  }
  throw new Error('nothing failed')
}
