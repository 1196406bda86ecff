// Every text of the samples is searched whole.

import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltIndex, buildIndex } from './build-index.ts'
import { drawPhrases, drawWords, missedPhrases } from './phrases.ts'

const home = resolve('samples/home')
let index: BuiltIndex

beforeAll(async () => {
  index = await buildIndex([home])
})
afterAll(() => index.close())

it('finds phrases from anywhere in prompts, answers, input and output, in their event', async () => {
  const phrases = await drawPhrases([home], 100, 1)
  expect(phrases).toHaveLength(100)
  expect(phrases.filter(({ isOutput }) => isOutput).length).toBeGreaterThan(20)
  expect(missedPhrases(index, phrases)).toEqual([])
})

it('finds every word that grep looks into, of every kind of event, in its event', async () => {
  const words = await drawWords([home], 200, 1)
  expect(words).toHaveLength(200)
  expect(missedPhrases(index, words)).toEqual([])
})
