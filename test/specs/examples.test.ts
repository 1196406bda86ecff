// Lines in the form of every JSON example of the five specifications mean what the specification says.

import { describe, expect, test } from 'vitest'
import { expected000 } from './expect-000.ts'
import { expected001 } from './expect-001.ts'
import { expected002 } from './expect-002.ts'
import { expected003 } from './expect-003.ts'
import { expected004 } from './expect-004.ts'
import { type ExpectedByPlace, exampleNames, readLines, variantsAt } from './expected.ts'

const expected: ExpectedByPlace = {
  ...expected000,
  ...expected001,
  ...expected002,
  ...expected003,
  ...expected004,
}

describe('the JSON examples of the specifications', () => {
  test.each(Object.entries(expected))('%s', (place, wanted) => {
    const reads = variantsAt(place).map(lines => readLines(lines))
    expect(reads.flatMap(read => read.events)).toMatchObject(wanted.events)
    const first = reads[0]
    if (first) wanted.graph?.(first.graph)
  })
})

test('every example has an expectation, and every expectation an example', () => {
  expect([...exampleNames].sort()).toEqual(Object.keys(expected).sort())
})
