// Every text of real logs is searched whole, output of tools included.

import { expect, test } from 'vitest'
import { clientHomes, publicHome } from '../../needs.ts'
import { buildIndex } from '../../search/build-index.ts'
import { drawPhrases, drawWords, missedPhrases } from '../../search/phrases.ts'

test('200 phrases and 2,000 words from real logs are found in their event', {
  tags: 'corpus',
  timeout: 300_000,
}, async () => {
  const roots = [publicHome, ...clientHomes]
  const index = await buildIndex(roots)
  try {
    const phrases = await drawPhrases(roots, 200, 20261116)
    expect(phrases).toHaveLength(200)
    expect(phrases.filter(({ isOutput }) => isOutput).length).toBeGreaterThan(50)
    expect(missedPhrases(index, phrases)).toEqual([])
    const words = await drawWords(roots, 2000, 20261116)
    expect(words).toHaveLength(2000)
    expect(missedPhrases(index, words)).toEqual([])
  } finally {
    index.close()
  }
})
