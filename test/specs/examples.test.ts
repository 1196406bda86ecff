// Every JSON example of the five specifications means what its text says. Where the specifications are not beside the
// project there is nothing to compare with, and the tests say so.

import { describe, expect, test } from 'vitest'
import { expected000 } from './expect-000.ts'
import { expected001 } from './expect-001.ts'
import { expected002 } from './expect-002.ts'
import { expected003 } from './expect-003.ts'
import { expected003Flows } from './expect-003-flows.ts'
import { expected004 } from './expect-004.ts'
import { type ExpectedByPlace, readLines } from './expected.ts'
import { flows, notExamples } from './flows.ts'
import { examples, haveSpecs, specs, variantsAt } from './spec-examples.ts'

const expected: ExpectedByPlace = {
  ...expected000,
  ...expected001,
  ...expected002,
  ...expected003,
  ...expected003Flows,
  ...expected004,
}

describe('the JSON examples of the specifications', () => {
  test.each(Object.entries(expected))('%s', (place, wanted) => {
    if (!haveSpecs()) return
    const reads = variantsAt(place).map(lines => readLines(lines))
    expect(reads.flatMap(read => read.events)).toMatchObject(wanted.events)
    const first = reads[0]
    if (first) wanted.graph?.(first.graph)
  })
})

describe('no example is left out', () => {
  test('every JSON example has an expectation, and every expectation an example', () => {
    if (!haveSpecs()) return
    expect([...examples.keys()].sort()).toEqual(Object.keys(expected).sort())
  })

  test('every block that is marked as JSON can be read', () => {
    if (!haveSpecs()) return
    expect(specs?.unreadable.map(fence => fence.place)).toEqual([])
    expect(examples.size).toBeGreaterThan(60)
  })

  test('every drawing is a tested flow, or shows folders and paths', () => {
    if (!haveSpecs()) return
    const drawn = specs?.drawings.map(fence => fence.place).sort()
    expect(drawn).toEqual([...Object.keys(flows), ...notExamples].sort())
  })
})
