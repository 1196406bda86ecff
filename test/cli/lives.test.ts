// A few of the random lives of test/deep/lives.ts, the same ones every time.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Grounds, lifeOf, live } from '../deep/lives.ts'

let grounds: Grounds

beforeAll(() => {
  grounds = new Grounds()
})

afterAll(() => grounds.remove())

test.each([1, 2, 3])(
  'whatever happens to files between and during commands, all answers agree: life %i',
  async seed => {
    await expect(live(lifeOf(seed), grounds)).resolves.toBeUndefined()
  },
)
