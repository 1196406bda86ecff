import { describe, expect, it } from 'vitest'
import { textToBytes } from '../base/bytes.ts'
import { LineSplitter, largestLine } from './lines.ts'

function split(...chunks: (string | Uint8Array)[]) {
  const splitter = new LineSplitter()
  const bytes = chunks.map(chunk => (typeof chunk === 'string' ? textToBytes(chunk) : chunk))
  return [...bytes.flatMap(chunk => [...splitter.push(chunk)]), ...splitter.end()]
}

describe('LineSplitter', () => {
  it('gives each line with its offset, length and number', () => {
    const lines = split('a\nbc\n\nd')
    expect(lines.map(line => [line.offset, line.length, line.number, line.isEnded])).toEqual([
      [0, 2, 1, true],
      [2, 3, 2, true],
      [5, 1, 3, true],
      [6, 1, 4, false],
    ])
  })

  it('joins a line that is spread over chunks', () => {
    const lines = split('ab', 'cd', 'ef\ng')
    expect(lines.map(line => new TextDecoder().decode(line.bytes))).toEqual(['abcdef', 'g'])
  })

  it('keeps what it has when the same array is given again with other bytes', () => {
    const buffer = Buffer.alloc(8)
    const splitter = new LineSplitter()
    const texts: string[] = []
    for (const part of ['ab\ncdefg', 'hijklmno', 'p\nqrstuv', 'w\nxy\nz\n']) {
      const length = buffer.write(part)
      for (const line of splitter.push(buffer.subarray(0, length))) texts.push(Buffer.from(line.bytes ?? []).toString())
    }
    expect(texts).toEqual(['ab', 'cdefghijklmnop', 'qrstuvw', 'xy', 'z'])
  })

  it('has no last line when the file ends with a newline', () => {
    expect(split('a\n')).toHaveLength(1)
    expect(split('')).toHaveLength(0)
  })

  it('reports a line over the limit by its length and has none of it', () => {
    const part = new Uint8Array(largestLine / 2 + 1).fill(0x61)
    const lines = split(part, part, '\nnext\n')
    expect(lines[0]).toEqual({ offset: 0, length: part.length * 2 + 1, number: 1, isEnded: true })
    expect(new TextDecoder().decode(lines[1]?.bytes)).toBe('next')
    expect(lines[1]?.offset).toBe(part.length * 2 + 1)
  })
})
