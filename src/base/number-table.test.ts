import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberTable } from './number-table.ts'
import { textHash } from './text-hash.ts'

const hash = fc
  .oneof(
    fc.maxSafeInteger().map(Math.abs),
    fc.nat(20),
    fc.nat(20).map(n => n * 2 ** 33),
  )
  .filter(each => each < Number.MAX_SAFE_INTEGER)

test('has what a Map has in which the first value of a key stays', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.nat()), { maxLength: 200 }), pairs => {
      const table = new NumberTable()
      const map = new Map<number, number>()
      for (const [key, value] of pairs) {
        expect(table.get(key)).toBe(map.get(key))
        expect(table.add(key, value)).toBe(!map.has(key))
        if (!map.has(key)) map.set(key, value)
        expect(table.size).toBe(map.size)
      }
      for (const [key, value] of map) expect(table.get(key)).toBe(value)
    }),
  )
})

test('grows, and keeps hashes apart that differ in their upper bits alone', () => {
  const table = new NumberTable()
  for (let n = 0; n < 20_000; n++) expect(table.add(textHash(`text ${n}`, 0), n)).toBe(true)
  for (let n = 0; n < 100; n++) expect(table.add(7 + n * 2 ** 40, n)).toBe(true)
  expect(table.size).toBe(20_100)
  for (let n = 0; n < 20_000; n++) expect(table.get(textHash(`text ${n}`, 0))).toBe(n)
  for (let n = 0; n < 100; n++) expect(table.get(7 + n * 2 ** 40)).toBe(n)
  expect(table.get(textHash('another', 0))).toBeUndefined()
})
