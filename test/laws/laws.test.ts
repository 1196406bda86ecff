import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { concatBytes, textToBytes } from '../../src/base/bytes.ts'
import { jsonText } from '../../src/base/json.ts'
import { toEventLine } from '../../src/session/load.ts'
import { isDeep } from '../needs.ts'
import fc from '../property.ts'
import { cutAt, decodeChunks, expectLaws } from './laws.ts'

/** A few lines of each dialect, as seeds for damage. */
const seeds = filesUnder(resolve('samples/home'))
  .map(file => readFileSync(file))
  .filter(bytes => bytes.length > 0 && bytes.length < 200_000)

function filesUnder(folder: string): string[] {
  return readdirSync(folder)
    .map(name => join(folder, name))
    .flatMap(path => (statSync(path).isDirectory() ? filesUnder(path) : path.endsWith('.jsonl') ? [path] : []))
}

const seed = fc.integer({ min: 0, max: seeds.length - 1 }).map(index => new Uint8Array(seeds[index] ?? []))
const places = fc.array(fc.nat({ max: 1_000_000 }), { maxLength: 12 })
const runs = { numRuns: isDeep ? 600 : 60 }

describe('the laws of reading', () => {
  it('apply to every file of the sample history in chunks of any size', () => {
    expect(seeds.length).toBeGreaterThan(10)
    for (const bytes of seeds) expectLaws(bytes, [1, 7, 4096, 65_537])
  })

  it('apply to random chunking', () => {
    fc.assert(
      fc.property(seed, places, (bytes, cuts) => expectLaws(bytes, cuts)),
      runs,
    )
  })

  it('hold when a file is cut anywhere', () => {
    fc.assert(
      fc.property(seed, fc.nat(), places, (bytes, end, cuts) =>
        expectLaws(bytes.subarray(0, end % (bytes.length + 1)), cuts),
      ),
      runs,
    )
  })

  it('hold when files are spliced into each other', () => {
    fc.assert(
      fc.property(seed, seed, fc.nat(), fc.nat(), places, (a, b, from, to, cuts) => {
        const spliced = concatBytes([a.subarray(0, from % (a.length + 1)), b.subarray(to % (b.length + 1))])
        expectLaws(spliced, cuts)
      }),
      runs,
    )
  })

  it('hold when bits flip', () => {
    fc.assert(
      fc.property(
        seed,
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 7 })), { minLength: 1, maxLength: 30 }),
        places,
        (bytes, flips, cuts) => {
          const flipped = bytes.slice()
          for (const [place, bit] of flips) {
            const at = place % flipped.length
            flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
          }
          expectLaws(flipped, cuts)
        },
      ),
      runs,
    )
  })

  it('hold when lines are repeated, dropped or put in another order', () => {
    fc.assert(
      fc.property(seed, fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), places, (bytes, order, cuts) => {
        const lines = new TextDecoder().decode(bytes).split('\n')
        const picked = order.map(index => lines[index % lines.length] ?? '').join('\n')
        expectLaws(textToBytes(picked), cuts)
      }),
      runs,
    )
  })

  it('apply to bytes that are not a log at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), places, (bytes, cuts) => expectLaws(bytes, cuts)),
      runs,
    )
  })

  it('apply to objects of any shape under the names that records use', () => {
    const names = [
      'type',
      'uuid',
      'parentUuid',
      'sessionId',
      'message',
      'content',
      'timestamp',
      'isSidechain',
      'toolUseResult',
      'attachment',
      'data',
      'compactMetadata',
      'subtype',
      'snapshot',
      'leafUuid',
      'toolName',
      'agentId',
      'isMeta',
    ]
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        'user',
        'assistant',
        'system',
        'human',
        'tool_result',
        'compact_system',
        'attachment',
        'progress',
        'compact_boundary',
        'u1',
        'u2',
        true,
        null,
      ),
    )
    const line = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 10 })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), places, (lines, cuts) => {
        expectLaws(textToBytes(lines.map(one => `${JSON.stringify(one)}\n`).join('')), cuts)
      }),
      { numRuns: runs.numRuns * 4 },
    )
  })

  it.each([
    [
      'content',
      (deep: string) =>
        `{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":${deep}}}`,
    ],
    [
      'tool input',
      (deep: string) =>
        `{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"X","input":${deep}}]}}`,
    ],
    ['an unknown record', (deep: string) => `{"type":"future","deep":${deep}}`],
    [
      'a tool result',
      (deep: string) =>
        `{"type":"user","uuid":"u","sessionId":"s","parentUuid":null,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[${deep}]}]},"toolUseResult":${deep}}`,
    ],
    ['a state line', (deep: string) => `{"type":"cost-state","sessionId":"s","modelUsage":${deep}}`],
  ])('hold for %s nested 6,000 deep, which JSON.stringify cannot write', (_name, line) => {
    for (const deep of [`${'['.repeat(6000)}${']'.repeat(6000)}`, `${'{"a":'.repeat(6000)}1${'}'.repeat(6000)}`]) {
      const bytes = textToBytes(`${line(deep)}\n`)
      expect(() => JSON.stringify(JSON.parse(line(deep)))).toThrow(RangeError)
      expectLaws(bytes, [5, 5000])
      const [event] = decodeChunks([bytes]).events
      expect(jsonText(event && toEventLine(event)).length).toBeGreaterThan(6000)
    }
  })

  it('keeps event ids as a file grows', () => {
    fc.assert(
      fc.property(seed, fc.nat(), (bytes, at) => {
        const [head = new Uint8Array(0)] = cutAt(bytes, [at])
        const lastLine = head.lastIndexOf(0x0a) + 1
        const before = decodeChunks([head.subarray(0, lastLine)]).events
        const after = decodeChunks([bytes]).events
        expect(after.slice(0, before.length).map(event => [event.id, event.kind, event.thread])).toEqual(
          before.map(event => [event.id, event.kind, event.thread]),
        )
      }),
      runs,
    )
  })
})
