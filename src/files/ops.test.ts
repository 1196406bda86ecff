import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
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
import { FileError, writeFailure } from './error.ts'
import { realOps } from './ops.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clew-ops-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

describe('the real operations', () => {
  test('make a file once, write all of it and give it names', () => {
    const path = join(folder, 'file')
    const fd = realOps.create(path, 0o600)
    realOps.write(fd, Buffer.alloc(3_000_000, 'x'))
    realOps.write(fd, new Uint8Array(0))
    realOps.write(fd, Buffer.from('end'))
    realOps.sync(fd)
    realOps.close(fd)
    expect(statSync(path).size).toBe(3_000_003)
    expect(() => realOps.create(path, 0o600)).toThrow('EEXIST')
    realOps.link(path, join(folder, 'second'))
    expect(() => realOps.link(path, join(folder, 'second'))).toThrow('EEXIST')
    realOps.rename(path, join(folder, 'third'))
    realOps.unlink(join(folder, 'second'))
    realOps.syncFolder(folder)
    expect(readdirSync(folder)).toEqual(['third'])
  })

  test('do not create through a dangling link', { tags: 'posix' }, () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'file'))
    expect(() => realOps.create(join(folder, 'file'), 0o600)).toThrow('EEXIST')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  test('take an existing folder as made, but not a file', () => {
    realOps.makeFolder(join(folder, 'sub'), 0o700)
    realOps.makeFolder(join(folder, 'sub'), 0o700)
    writeFileSync(join(folder, 'file'), '')
    expect(() => realOps.makeFolder(join(folder, 'file'), 0o700)).toThrow('EEXIST')
    realOps.removeFolder(join(folder, 'sub'))
    expect(() => realOps.removeFolder(folder)).toThrow(/ENOTEMPTY|EEXIST/)
  })

  test('do not take a link for a folder', { tags: 'posix' }, () => {
    realOps.makeFolder(join(folder, 'sub'), 0o700)
    symlinkSync(join(folder, 'sub'), join(folder, 'link'))
    expect(() => realOps.makeFolder(join(folder, 'link'), 0o700)).toThrow('EEXIST')
  })

  test('set times and mode of the name itself, never of what a link points to', { tags: 'posix' }, () => {
    const target = join(folder, 'target')
    const link = join(folder, 'link')
    writeFileSync(target, '', { mode: 0o644 })
    symlinkSync(target, link)
    realOps.setTimes(target, 1_000_000_000_000, 1_000_000_000_500)
    realOps.setTimes(link, 5_000, 5_000)
    expect(statSync(target).mtimeMs).toBe(1_000_000_000_500)
    expect(lstatSync(link).mtimeMs).toBe(5_000)
    expect(() => realOps.setMode(link, 0o600)).toThrow('ELOOP')
    realOps.setMode(target, 0o400)
    expect(statSync(target).mode & 0o777).toBe(0o400)
    mkdirSync(join(folder, 'sub'))
    realOps.setMode(join(folder, 'sub'), 0o700)
    expect(statSync(join(folder, 'sub')).mode & 0o777).toBe(0o700)
  })

  test('pass the system errors on unchanged', () => {
    const path = join(folder, 'file')
    writeFileSync(path, 'kept')
    const fd = openSync(path, 'r')
    expect(() => realOps.write(fd, Buffer.from('x'))).toThrow(expect.objectContaining({ code: 'EBADF' }))
    closeSync(fd)
    expect(() => realOps.syncFolder(join(folder, 'missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect(readFileSync(path, 'utf8')).toBe('kept')
  })
})

describe('the sentence for a failed write', () => {
  const known = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'EMFILE', 'ENFILE']

  test('names the file, keeps the code and the cause, and differs for every reason', () => {
    const messages = known.map(code => {
      const cause = Object.assign(new Error('raw'), { code })
      const failure = writeFailure(cause, '/archive/packs/x')
      expect(failure).toMatchObject({ code, path: '/archive/packs/x', cause })
      expect(failure.message).toMatch(/\/archive\/packs\/x.*\.$/)
      expect(failure.message).not.toContain('raw')
      return failure.message
    })
    expect(new Set(messages).size).toBe(known.length)
  })

  test('reports unknown reasons as they came and leaves an own error alone', () => {
    expect(writeFailure(new Error('odd thing'), '/x')).toMatchObject({
      code: 'unknown',
      message: '/x cannot be written: odd thing.',
    })
    expect(writeFailure('text', '/x').message).toBe('/x cannot be written: text.')
    const own = new FileError('locked', 'The archive is locked.')
    expect(writeFailure(own, '/x')).toBe(own)
  })
})
