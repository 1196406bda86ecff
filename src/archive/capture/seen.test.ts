import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withFixture } from '../../../test/archive/fixture.ts'
import { layoutOf } from '../format/layout.ts'
import { readSeen, type Seen, seenBytes, seenKey, settledText, stateText } from './seen.ts'

const state = { size: 12, mtimeMs: 1_750_000_000_000.25, ctimeMs: 1_750_000_000_000.5, identity: '1-2-3' }

const seen: Seen = {
  fingerprint: '00000007.jsonl W10=',
  files: new Map([
    [seenKey('/h', 'projects/-p/a.jsonl'), { state: stateText(state), generation: 'g1' }],
    [seenKey('/h', 'plans/a\tb\nc "d" \\.md'), { state: stateText(state), generation: '-' }],
    [seenKey('/h', 'plans/ü\u2028.md'), { state: 'racy', generation: 'g2' }],
  ]),
}

describe('what was seen', () => {
  it('comes back, whatever characters names have', async () => {
    await withFixture(fixture => {
      const layout = layoutOf(fixture.folder)
      writeFileSync(layout.seen, seenBytes(seen))
      expect(readSeen(layout)).toEqual(seen)
      writeFileSync(layout.seen, seenBytes({ fingerprint: '', files: new Map() }))
      expect(readSeen(layout)).toEqual({ fingerprint: '', files: new Map() })
    })
  })

  it('is nothing where a single bit of it is wrong, bytes are missing or it is not a file', async () => {
    await withFixture(fixture => {
      const layout = layoutOf(fixture.folder)
      expect(readSeen(layout)).toBeNull()
      const bytes = seenBytes(seen)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const damaged = Buffer.from(bytes)
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        writeFileSync(layout.seen, damaged)
        if (readSeen(layout) !== null) throw new Error(`bit ${bit} is not noticed`)
      }
      for (let length = 0; length < bytes.length; length++) {
        writeFileSync(layout.seen, bytes.subarray(0, length))
        if (readSeen(layout) !== null) throw new Error(`an end at ${length} is not noticed`)
      }
      expect(readFileSync(layout.seen).length).toBe(bytes.length - 1)
      const other = layoutOf(fixture.home)
      mkdirSync(other.seen)
      expect(readSeen(other)).toBeNull()
    })
  })

  it('gives different files different keys', () => {
    const names = ['a', 'a\tb', 'a"b', '"a"', 'a\\tb', 'a\nb', 'b//c', 'b']
    const keys = ['/h', '/h/b'].flatMap(home => names.map(name => seenKey(home, name)))
    expect(new Set(keys).size).toBe(keys.length)
    for (const key of keys) expect(key).not.toMatch(/[\t\n\r]/)
  })

  it('of a file that changed within two seconds equals no state, whichever of its times says so', () => {
    const at = state.ctimeMs
    expect(settledText(state, at + 2000)).not.toBe(stateText(state))
    expect(settledText(state, at + 2001)).toBe(stateText(state))
    const setBack = { ...state, mtimeMs: 5 }
    expect(settledText(setBack, at + 1000)).not.toBe(stateText(setBack))
    const ahead = { ...state, mtimeMs: state.mtimeMs * 2 }
    expect(settledText(ahead, at + 5000)).not.toBe(stateText(ahead))
  })
})
