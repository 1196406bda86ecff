import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestHome } from '../../../test/home.ts'
import { bytesToText, textToBytes } from '../../base/bytes.ts'
import { FileTail, readLive } from './state.ts'

let folder: TestHome
let path: string
beforeEach(async () => {
  folder = new TestHome()
  path = folder.at('a.jsonl')
  folder.write('a.jsonl', 'one\n')
})
afterEach(() => folder.remove())

function textOf(tail: FileTail, size = 0): string {
  const found = tail.read(size)
  return found === 'rewritten' ? found : bytesToText(found.bytes)
}

it('gives what was appended, each byte once', async () => {
  const tail = new FileTail(path)
  expect(textOf(tail)).toBe('one\n')
  expect(textOf(tail)).toBe('')
  await appendFile(path, 'two\nthr')
  expect(textOf(tail)).toBe('two\nthr')
  await appendFile(path, 'ee\n')
  expect(textOf(tail)).toBe('ee\n')
  expect(tail.offset).toBe(14)
})

it('gives at most a megabyte at a time, whatever the size that it was reported', async () => {
  await writeFile(path, 'x'.repeat(3_000_000))
  const tail = new FileTail(path)
  let length = 0
  for (let isLast = false; !isLast; ) {
    const found = tail.read(3_000_000)
    if (found === 'rewritten') throw new Error('it was not')
    expect(found.bytes.length).toBeLessThanOrEqual(1024 * 1024)
    length += found.bytes.length
    isLast = found.isLast
  }
  expect(length).toBe(3_000_000)
})

it('notices a file that is shorter, or has other bytes where it stopped, at any size', async () => {
  const tail = new FileTail(path)
  await appendFile(path, `${'a line of words\n'.repeat(100)}`)
  textOf(tail, 2000)
  await truncate(path, 10)
  expect(tail.read(10)).toBe('rewritten')
  await writeFile(path, 'another line...\n'.repeat(200))
  expect(tail.read(3200)).toBe('rewritten')
  await writeFile(path, `one\n${'a line of words\n'.repeat(100)}more\n`)
  expect(textOf(tail, 2000)).toBe('more\n')
})

it('begins in the middle with what is known of the bytes before', async () => {
  const tail = new FileTail(path, 4, textToBytes('one\n'))
  await appendFile(path, 'two\n')
  expect(textOf(tail)).toBe('two\n')
  expect(new FileTail(path, 4, textToBytes('ONE\n')).read(8)).toBe('rewritten')
})

it('says that a file cannot be read', () => {
  expect(() => new FileTail(folder.at('nothing.jsonl')).read(1)).toThrow('ENOENT')
  expect(bytesToText(readLive(path, 1, 3))).toBe('ne')
})
