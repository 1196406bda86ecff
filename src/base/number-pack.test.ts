import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberPack } from './number-pack.ts'

const numbers = fc.array(
  fc.oneof(
    fc.nat(300),
    fc.maxSafeInteger(),
    fc.double().map(number => number + 0),
    fc.constantFrom(
      0,
      2 ** 7,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 28 - 1,
      2 ** 28,
      2 ** 32,
      2 ** 53 - 1,
      2 ** 53,
      -1,
      Number.NaN,
      Infinity,
    ),
  ),
  { maxLength: 40 },
)

test('gives back every number that was put, from every start', () => {
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 20 }), fc.nat(), (lists, seed) => {
      const pack = new NumberPack()
      const starts = lists.map(list => {
        const start = pack.start(list.length)
        pack.put(Float64Array.from(list), list.length)
        return start
      })
      for (let n = 0; n < lists.length; n++) {
        const place = (n * 7 + seed) % lists.length
        const list = lists[place] ?? []
        pack.seek(starts[place] ?? 0)
        for (const number of list) expect(pack.take()).toBe(number)
      }
    }),
  )
})

test('keeps lists together that are longer than one of its parts, and those behind them', () => {
  const pack = new NumberPack()
  const long = Array.from({ length: 60_000 }, (_, n) => n / 3)
  const starts = [1, long.length, 2].map(count => {
    const start = pack.start(count)
    pack.put(Float64Array.from(count > 2 ? long : [7, 8]), count)
    return start
  })
  pack.seek(starts[2] ?? 0)
  expect([pack.take(), pack.take()]).toEqual([7, 8])
  pack.seek(starts[1] ?? 0)
  expect(long.every(number => pack.take() === number)).toBe(true)
  pack.seek(starts[0] ?? 0)
  expect(pack.take()).toBe(7)
})

test('takes little more room than its bytes, however many numbers there are', () => {
  const pack = new NumberPack()
  const pair = Float64Array.of(99, 1000)
  for (let n = 0; n < 1_000_000; n++) {
    pack.start(2)
    pack.put(pair, 2)
  }
  expect(pack.bytes).toBeLessThan(3_600_000)
})
