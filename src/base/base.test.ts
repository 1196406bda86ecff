import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { base64Size, beyondAscii, isUtf8, textToBytes } from './bytes.ts'
import { escapeForJson, escapeForLine, escapeForTerminal } from './escape.ts'
import { IdSet } from './id-set.ts'
import { instantToMillis, toInstant } from './instant.ts'
import { jsonText } from './json.ts'
import { columnsOf } from './width.ts'

describe('toInstant', () => {
  it.each([
    ['2026-02-17T23:21:59.414Z', '2026-02-17T23:21:59.414Z'],
    ['2025-01-27T10:00:00Z', '2025-01-27T10:00:00.000Z'],
    ['2025-01-27T12:00:00+02:00', '2025-01-27T10:00:00.000Z'],
    ['2025-01-27T10:00:00', '2025-01-27T10:00:00.000Z'],
    ['2025-01-27 10:00:00.123456Z', '2025-01-27T10:00:00.123Z'],
    ['2025-01-27', '2025-01-27T00:00:00.000Z'],
    [1738160130123, '2025-01-29T14:15:30.123Z'],
    [1738160130, '2025-01-29T14:15:30.000Z'],
    [1738160130123456, '2025-01-29T14:15:30.123Z'],
    ['1738160130123', '2025-01-29T14:15:30.123Z'],
    ['2026-13-45T99:00:00.000Z', null],
    ['2026-02-30T00:00:00.000Z', null],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
    ['2026-01-01T24:00:00.000Z', '2026-01-02T00:00:00.000Z'],
    ['yesterday', null],
    ['', null],
    [Number.NaN, null],
    [1e300, null],
    [null, null],
    [{}, null],
  ])('reads %j as %s', (written, instant) => {
    expect(toInstant(written)).toBe(instant)
  })
})

describe('instantToMillis', () => {
  it('is what Date.parse says of any instant', () => {
    const days = fc.integer({ min: -62_167_219_200_000, max: 8.64e15 })
    fc.assert(
      fc.property(fc.oneof(days, fc.integer({ min: 1.7e12, max: 1.7e12 + 1e8 })), millis => {
        expect(instantToMillis(new Date(millis).toISOString())).toBe(millis)
      }),
    )
  })
})

describe('beyondAscii', () => {
  it('counts code units as they are, in texts of any length', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('\ud83d', 'é', '→', '😀x', '\u07ff\u0800'),
    )
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 7, 9000), (text, times) => {
        const all = text.repeat(times)
        const codes = Array.from({ length: all.length }, (_, at) => all.charCodeAt(at))
        const signs = codes.filter(code => code >= 0x800).length
        expect(beyondAscii(all)).toEqual({ letters: codes.filter(code => code >= 0x80).length - signs, signs })
      }),
      { numRuns: 60 },
    )
  })
})

describe('jsonText', () => {
  it('writes what JSON.parse reads back, however deep', () => {
    const depth = 20_000
    const deep = JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
    expect(jsonText(deep)).toBe(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
  })

  it('agrees with JSON.stringify where that works, by either way of writing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(jsonText(value)).toBe(JSON.stringify(value))
        const deep = jsonText(wrap(value))
        expect(JSON.stringify(unwrap(JSON.parse(deep)))).toBe(JSON.stringify(value))
      }),
      { numRuns: 30 },
    )
  })
})

function wrap(value: unknown): unknown {
  let wrapped: unknown = value
  for (let i = 0; i < 9_000; i++) wrapped = { w: wrapped }
  return wrapped
}
function unwrap(value: unknown): unknown {
  let inner = value
  for (let i = 0; i < 9_000; i++) inner = (inner as { w: unknown }).w
  return inner
}

describe('escapeForTerminal', () => {
  it('lets no control character but newline and tab through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(escapeForTerminal(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
        )
        expect(escapeForLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('keeps what it escapes visible', () => {
    expect(escapeForTerminal('\u001b[31mred\u001b]0;x\u0007 \u009b \u202e')).toBe(
      '\\u{1b}[31mred\\u{1b}]0;x\\u{7} \\u{9b} \\u{202e}',
    )
    expect(escapeForLine('a\nb\tc\r')).toBe('a\\nb\\tc\\r')
    expect(escapeForTerminal('plain 丸め 🎉 👩‍🍳\n')).toBe('plain 丸め 🎉 👩‍🍳\n')
    expect(escapeForTerminal('\u{e0041}\u200b\ud800')).toBe('\\u{e0041}\\u{200b}\\u{d800}')
  })
})

describe('unseen characters', () => {
  const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const unseen = [
    ...[0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200e, 0x200f, 0x3164, 0xfeff, 0xffa0],
    ...between(0x2028, 0x202e),
    ...between(0x2060, 0x206f),
    ...between(0xfff9, 0xfffb),
    ...between(0xe0000, 0xe007f),
  ].map(code => String.fromCodePoint(code))

  it('are written out, and take the columns that are shown', () => {
    for (const character of unseen) {
      const code = `\\u{${character.codePointAt(0)?.toString(16)}}`
      expect(escapeForTerminal(`a${character}b`)).toBe(`a${code}b`)
      expect(escapeForLine(character)).toBe(code)
      expect(columnsOf(escapeForLine(character))).toBe(code.length)
    }
  })

  it('are written out in JSON, which means the same', () => {
    for (const character of [...unseen, '\u007f', '\u009b', '\ud800']) {
      const json = escapeForJson(JSON.stringify({ [character]: `a${character}` }))
      expect(json).toMatch(/^[ -~]+$/)
      expect(JSON.parse(json)).toEqual({ [character]: `a${character}` })
    }
    expect(escapeForJson('{\n\t"a": "地図 👩‍🍳"\n}')).toBe('{\n\t"a": "地図 👩‍🍳"\n}')
  })
})

describe('IdSet', () => {
  it('agrees with a Set', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.uuid(), fc.string())), ids => {
        const real = new Set<string>()
        const set = new IdSet()
        for (const id of ids) {
          expect(set.has(id)).toBe(real.has(id))
          expect(set.add(id)).toBe(!real.has(id))
          real.add(id)
        }
        expect(set.size).toBe(real.size)
      }),
    )
  })

  it('has 300,000 ids without taking one for another', () => {
    const set = new IdSet()
    for (let i = 0; i < 300_000; i++) expect(set.add(`msg-${i}`)).toBe(true)
    expect(set.has('msg-299999')).toBe(true)
    expect(set.has('msg-300000')).toBe(false)
  })
})

describe('bytes', () => {
  it('measures base64 with padding and line breaks', () => {
    expect(['', 'aA==', 'aGk=', 'aGVs', 'aGVs\nbG8='].map(base64Size)).toEqual([0, 1, 2, 3, 5])
  })

  it('distinguishes invalid UTF-8 from a replacement character that was written', () => {
    expect(isUtf8(textToBytes('\ufffd'))).toBe(true)
    expect(isUtf8(new Uint8Array([0xff]))).toBe(false)
  })
})
