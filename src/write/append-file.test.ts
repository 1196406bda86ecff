import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppendFile } from './append-file.ts'
import { sessionOps } from './ops.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clew-append-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const line = (text: string) => Buffer.from(`${text}\n`)

describe('a file to append to', () => {
  test('is made by the first append, for the owner alone, with its folders', { tags: 'posix' }, () => {
    const path = join(root, 'a', 'b', 'new.jsonl')
    const file = new AppendFile(sessionOps, path, { isNew: true })
    expect(statSync(join(root, 'a'), { throwIfNoEntry: false })).toBeUndefined()
    expect(file.append(line('one'), true)).toBe(0)
    expect(file.append(line('two'), false)).toBe(4)
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700)
    expect(() => new AppendFile(sessionOps, path, { isNew: true }).append(line('x'), false)).toThrow(
      expect.objectContaining({ code: 'exists' }),
    )
  })

  test('ends a last line that another program left unfinished', () => {
    const path = join(root, 'torn.jsonl')
    writeFileSync(path, 'one\n{"half')
    const file = new AppendFile(sessionOps, path)
    file.open()
    expect(file.append(line('two'), false)).toBe(11)
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('one\n{"half\ntwo\n')
  })

  test('sees at once what another program appends, however soon after the last look', () => {
    const path = join(root, 'shared.jsonl')
    const file = new AppendFile(sessionOps, path, { isNew: true })
    file.append(line('one'), false)
    for (const text of ['two', 'three']) {
      expect(file.look(false)).toBe('none')
      appendFileSync(path, `${text}\n`)
      expect(file.look(false)).toBe('grown')
      file.grow()
    }
    file.close()
  })

  test('is written in one call, and what the system did not take in the next', () => {
    const path = join(root, 'short.jsonl')
    const taken: number[] = []
    const ops = {
      ...sessionOps,
      writeOnce(fd: number, bytes: Uint8Array, from: number) {
        const part = taken.length === 1 ? bytes.subarray(from, from + 3) : bytes.subarray(from)
        sessionOps.write(fd, part)
        taken.push(part.length)
        return part.length
      },
    }
    const file = new AppendFile(ops, path, { isNew: true })
    file.append(line('x'.repeat(1_000_000)), false)
    file.append(line('abcdef'), false)
    file.close()
    expect(taken).toEqual([1_000_001, 3, 4])
    expect(readFileSync(path, 'utf8').slice(-8)).toBe('\nabcdef\n')
  })

  test('notices what others append, and that another file took its place', () => {
    const path = join(root, 'others.jsonl')
    writeFileSync(path, 'one\n')
    const file = new AppendFile(sessionOps, path)
    file.open()
    expect(file.look(true)).toBe('none')
    writeFileSync(path, 'two\n', { flag: 'a' })
    expect(file.look(true)).toBe('grown')
    expect(file.grow()).toBe(8)
    writeFileSync(`${path}.new`, 'one\ntwo\nthree\n')
    renameSync(`${path}.new`, path)
    expect(file.look(true)).toBe('other')
    file.close()
  })

  test('says where there is none, and what may not be written', { tags: 'user' }, () => {
    expect(() => new AppendFile(sessionOps, join(root, 'none.jsonl')).open()).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    )
    const path = join(root, 'locked.jsonl')
    writeFileSync(path, '')
    chmodSync(path, 0o400)
    expect(() => new AppendFile(sessionOps, path).open()).toThrow(expect.objectContaining({ code: 'EACCES' }))
  })
})
