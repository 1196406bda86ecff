import { expect, it } from 'vitest'
import { textHash } from './text-hash.ts'

it('gives whole numbers that differ for texts, their order and their seed', () => {
  const texts = Array.from({ length: 200_000 }, (_, at) => `text ${at}`)
  const hashes = new Set(texts.map(text => textHash(text, 0)))
  expect(hashes.size).toBe(texts.length)
  for (const hash of [...hashes].slice(0, 1000)) expect(Number.isSafeInteger(hash) && hash >= 0).toBe(true)
  expect(textHash('ab', 0)).not.toBe(textHash('ba', 0))
  expect(textHash('ab', 0)).not.toBe(textHash('ab', 1))
  expect(textHash('丸', 0)).not.toBe(textHash('丹', 0))
})

it('spreads what it is given over all of its bits', () => {
  const halves = [0, 0]
  for (let at = 0; at < 20_000; at++) {
    const hash = textHash(`id-${at}`, 7)
    halves[hash > 2 ** 52 ? 1 : 0] = (halves[hash > 2 ** 52 ? 1 : 0] ?? 0) + 1
  }
  for (const half of halves) expect(half).toBeGreaterThan(9000)
})
