// Laws of a repair, whatever is wrong: it never throws but where nothing is to resume, repairs for good, loses nothing that Clew
// reads, and one damage on top of another is repaired too.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { WriteError } from '../../src/write/wire/error.ts'
import fc from '../property.ts'
import { damages, parseLog } from './damages.ts'
import { repaired, toText } from './repaired.ts'
import { saidAnywhere } from './said.ts'

const projects = 'samples/home/projects'
const logs = [
  `${projects}/-home-mira-hexwind/45615a30-f63b-4021-8447-fc8b86ccd84b.jsonl`,
  `${projects}/-home-mira-hexwind/ad277dfc-457b-47dc-aaad-6ae75e90ee84.jsonl`,
  `${projects}/-home-mira-bakery/2eb05ff7-043a-458f-91b0-3b29e0a4dac5.jsonl`,
].map(file => readFileSync(file, 'utf8'))
const bakery = logs[2] as string

/** Repairs, if there is anything to repair. */
function mended(bytes: Uint8Array): string | null {
  try {
    return toText(repaired(bytes))
  } catch (error) {
    expect(error).toBeInstanceOf(WriteError)
    expect(error).toMatchObject({ code: 'not-resumable' })
    return null
  }
}

function checkLaws(bytes: Uint8Array): void {
  const text = mended(bytes)
  if (text === null) return
  const again = repaired(new TextEncoder().encode(text))
  expect(again.changes).toEqual([])
  expect(toText(again)).toBe(text)
  const after = saidAnywhere(text)
  expect([...saidAnywhere(bytes)].filter(said => !after.has(said))).toEqual([])
}

const names = Object.keys(damages)
const bytewise = names.filter(name => !name.startsWith('UTF-16'))

describe('the laws of a repair', () => {
  test('hold for two damages, one on top of the other', { timeout: 120_000 }, () => {
    const pair = fc.record({
      log: fc.constantFrom(...logs),
      first: fc.constantFrom(...bytewise),
      second: fc.constantFrom(...bytewise),
    })
    fc.assert(
      fc.property(pair, ({ log, first, second }) => {
        const once = (damages[first] as (typeof damages)[string])(parseLog(log))
        const lines = parseLog(new TextDecoder().decode(once.bytes))
        checkLaws((damages[second] as (typeof damages)[string])(lines).bytes)
      }),
      { numRuns: 60 },
    )
  })

  test('hold where a result hung on what comes after it', () => {
    const once = (damages['garbage for an answer'] as (typeof damages)[string])(parseLog(bakery))
    const lines = parseLog(new TextDecoder().decode(once.bytes))
    checkLaws((damages['a loop in the middle'] as (typeof damages)[string])(lines).bytes)
  })

  test('hold where a record without its beginning is there twice', () => {
    const bytes = new TextEncoder().encode(bakery)
    const [head, rest] = [bytes.slice(0, 1473), bytes.slice(1473)]
    const noise = head.map((byte, at) => (at >= 1209 && at < 1250 ? byte ^ 21 : byte))
    checkLaws(Uint8Array.from([...noise, ...noise, ...rest]))
  })

  test('hold where bytes are cut out, repeated or overwritten', { timeout: 120_000 }, () => {
    const step = fc.record({
      kind: fc.constantFrom('cut', 'twice', 'nul', 'noise'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.integer({ min: 1, max: 3000 }),
    })
    const input = fc.record({ log: fc.constantFrom(...logs), steps: fc.array(step, { minLength: 1, maxLength: 4 }) })
    fc.assert(
      fc.property(input, ({ log, steps }) => {
        let bytes = new TextEncoder().encode(log)
        for (const { kind, at, length } of steps) {
          const from = Math.floor(at * bytes.length)
          const [before, part, after] = [
            bytes.slice(0, from),
            bytes.slice(from, from + length),
            bytes.slice(from + length),
          ]
          const put = {
            cut: [],
            twice: [...part, ...part],
            nul: part.map(() => 0),
            noise: part.map(byte => byte ^ 21),
          }[kind]
          bytes = Uint8Array.from([...before, ...put, ...after])
        }
        checkLaws(bytes)
      }),
      { numRuns: 60 },
    )
  })
})
