import { describe, expect, it } from 'vitest'
import { concatBytes, textToBytes } from '../base/bytes.ts'
import { detailFields } from '../model/detail.ts'
import { decodeText } from './decode.ts'
import { largestLine } from './lines.ts'
import { RecordDecoder } from './records.ts'

const user = '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}'
const title = '{"type":"custom-title","customTitle":"T","sessionId":"s"}'

function records(text: string | Uint8Array) {
  return decodeText(text).records
}
const shapes = (text: string | Uint8Array) =>
  records(text).map(record => [record.type, record.status, record.offset, record.bytes])

describe('records of odd lines', () => {
  it('splits glued records, each with its own bytes', () => {
    const glued = records(`${user}${title}\n${title}\n`)
    expect(glued.map(record => [record.type, record.part, record.line])).toEqual([
      ['user', 1, 1],
      ['custom-title', 2, 1],
      ['custom-title', undefined, 2],
    ])
    expect(glued[1]?.offset).toBe(user.length)
    expect(glued[1]?.bytes).toBe(title.length + 1)
  })

  it('finds the whole record behind a stump that Claude Code glued it to', () => {
    const stump = user.slice(0, 60)
    const found = records(`${stump}${user}\n`)
    expect(found.map(record => [record.type, record.status, record.part])).toEqual([
      [null, 'malformed', 1],
      ['user', 'known', 2],
    ])
    expect(found[0]?.bytes).toBe(60)
  })

  it('does not take an object nested in a stump for a record', () => {
    const nested =
      '{"type":"progress","data":{"message":{"type":"user","uuid":"x","parentUuid":null,"sessionId":"s"},"prom'
    expect(shapes(`${nested}\n${title}\n`)).toEqual([
      [null, 'malformed', 0, nested.length + 1],
      ['custom-title', 'known', nested.length + 1, title.length + 1],
    ])
  })

  it('does not take the value of a field for a record when the line is torn right behind it', () => {
    const torn = '{"type":"progress","data":{"message":{"type":"user","uuid":"x","parentUuid":null,"sessionId":"s"}'
    expect(shapes(torn)).toEqual([[null, 'torn', 0, torn.length]])
  })

  it('finds every whole record among stumps', () => {
    const stump = user.slice(0, 50)
    const found = records(`${stump}${user}${stump}${title}${stump}`)
    expect(found.map(record => [record.type, record.status])).toEqual([
      [null, 'malformed'],
      ['user', 'known'],
      [null, 'malformed'],
      ['custom-title', 'known'],
      [null, 'torn'],
    ])
    expect(found.map(record => record.marks?.includes('no-newline'))).toEqual([false, false, false, false, true])
  })

  it.each([
    '{"type":"file-history-delta","messageId":"m","trackingPath":"a.ts","backup":{}}',
    '{"display":"hi","timestamp":1770654699405,"project":"/p"}',
  ])('finds %s behind a stump', line => {
    expect(records(`${user.slice(0, 50)}${line}\n`).map(record => record.status)).toEqual(['malformed', 'known'])
  })

  it('gives a byte order mark or NULs between glued records to the one that follows', () => {
    const found = records(`${user}\ufeff${title}\0\0${user.replace('hi', 'h\0i')}\n`)
    expect(found.map(record => [record.type, record.marks])).toEqual([
      ['user', ['glued']],
      ['custom-title', ['bom', 'unread', 'glued']],
      ['user', ['nul', 'unread', 'glued']],
    ])
  })

  it.each([
    ['objects that never close', '{"x":'.repeat(500_000)],
    ['strings that never close', `x${'{"aaaaaaaaaaaaaaaa'.repeat(200_000)}`],
    ['records before a bad end', `x${'{"parentUuid":1}'.repeat(20_000)},{"a"`],
  ])('gives up soon on a long line of %s', (_name, text) => {
    const found = records(`${text}\n`)
    expect(found.reduce((sum, record) => sum + record.bytes, 0)).toBe(text.length + 1)
  })

  it('marks an unfinished last line as torn and a finished one without newline as known', () => {
    expect(shapes(`${title}\n${user.slice(0, 30)}`).at(-1)).toEqual([null, 'torn', title.length + 1, 30])
    const whole = records(`${title}\n${user}`).at(-1)
    expect([whole?.status, whole?.marks]).toEqual(['known', ['no-newline']])
  })

  it('keeps a glued line whose last part is torn', () => {
    expect(records(`${title}${user.slice(0, 40)}`).map(record => record.status)).toEqual(['known', 'torn'])
  })

  it('reads a torn line once the rest of it has come', () => {
    const decoder = new RecordDecoder('a.jsonl')
    expect(decoder.push(textToBytes(user.slice(0, 30)))).toEqual([])
    expect(decoder.push(textToBytes(`${user.slice(30)}\n`)).map(record => record.status)).toEqual(['known'])
  })

  it.each([
    ['a byte order mark', `\ufeff${title}\n`, 'bom'],
    ['CRLF', `${title}\r\n`, 'crlf'],
    ['NULs in front', `\0\0\0${title}\n`, 'nul'],
    ['NULs behind', `${title}\0\0\n`, 'nul'],
    ['NULs inside', `${title.slice(0, 10)}\0\0${title.slice(10)}\n`, 'nul'],
    ['a comma behind', `${title},\n`, 'comma'],
    ['a comma in front', `,${title}\n`, 'comma'],
  ])('reads the record next to %s', (_name, text, mark) => {
    const [record, ...more] = records(text)
    expect(more).toEqual([])
    expect(record?.type).toBe('custom-title')
    expect(record?.marks).toContain(mark)
    expect(record?.bytes).toBe(textToBytes(text).length)
  })

  it('marks lines of white space and NULs as blank', () => {
    expect(records(`\n  \t \n\0\0\0\n\r\n`).map(record => record.status)).toEqual(['blank', 'blank', 'blank', 'blank'])
  })

  it('keeps what is not an object as malformed and says that it parses', () => {
    for (const text of ['[1,2]', '"text"', '17', 'null']) {
      const [record] = records(`${text}\n`)
      expect([record?.status, record?.marks?.includes('not-object')]).toEqual(['malformed', true])
      expect(record?.marks?.includes('array')).toBe(text.startsWith('['))
    }
  })

  it('keeps a line with invalid UTF-8 and marks it', () => {
    const bytes = concatBytes([
      textToBytes('{"type":"tag","tag":"'),
      new Uint8Array([0xff, 0xc0]),
      textToBytes('","sessionId":"s"}\n'),
    ])
    const [record] = records(bytes)
    expect([record?.status, record?.marks, record?.bytes]).toEqual(['known', ['invalid-utf8'], bytes.length])
    expect(records('{"type":"tag","tag":"\ufffd","sessionId":"s"}\n')[0]?.marks).toBeUndefined()
  })

  it('reads lone surrogates written as escapes', () => {
    const [event] = decodeText('{"type":"custom-title","customTitle":"a\\ud83d","sessionId":"s"}\n').events
    expect(detailFields(event ?? {})['title']).toBe('a\ud83d')
  })

  it('does not parse a line over 64 MiB, and continues after it', () => {
    const decoder = new RecordDecoder('big.jsonl')
    const half = new Uint8Array(largestLine / 2 + 8).fill(0x20)
    const found = [...decoder.push(half), ...decoder.push(half), ...decoder.push(textToBytes(`\n${title}\n`))]
    expect(found.map(record => [record.status, record.bytes])).toEqual([
      ['oversized', half.length * 2 + 1],
      ['known', title.length + 1],
    ])
  })

  it('gives the objects of a pretty-printed array and keeps its brackets', () => {
    const found = records(`[\n${title},\n${title}\n]\n`)
    expect(found.map(record => [record.type, record.status])).toEqual([
      [null, 'malformed'],
      ['custom-title', 'known'],
      ['custom-title', 'known'],
      [null, 'malformed'],
    ])
  })
})

describe('objects of several lines', () => {
  const pretty = JSON.stringify(JSON.parse(user), null, 2)

  it('are one record, with the lines that follow as records of their own', () => {
    const found = records(`${title}\n${pretty}\n${title}\n`)
    expect(found.map(({ type, line, marks }) => [type, line, marks])).toEqual([
      ['custom-title', 1, undefined],
      ['user', 2, ['lines']],
      ['custom-title', 2 + pretty.split('\n').length, undefined],
    ])
  })

  it('may be followed by other records on their last line, which Claude Code does not read', () => {
    const found = records(`${pretty}${title}\n`)
    expect(found.map(({ type, marks }) => [type, marks])).toEqual([
      ['user', ['lines', 'glued']],
      ['custom-title', ['unread', 'glued']],
    ])
  })

  it('that are torn are malformed lines, and nothing behind them is lost', () => {
    const torn = ['{"a":1,', '{"a":', '{', '{"message":{"id":1}', '{"a":[']
    for (const start of torn) {
      expect(records(`${start}\n${user}\n`).map(({ type, status }) => [type, status])).toEqual([
        [null, 'malformed'],
        ['user', 'known'],
      ])
    }
    expect(records(`{"a":\n`).map(({ status }) => status)).toEqual(['malformed'])
  })

  it('are read in chunks of any size as at once, and every byte belongs to one record', () => {
    const text = `${title}\n${pretty}\n{"a":\n${user}\n${pretty.slice(0, -2)}\n${title}\n`
    const bytes = new TextEncoder().encode(text)
    const whole = records(text)
    expect(whole.reduce((sum, record) => sum + record.bytes, 0)).toBe(bytes.length)
    for (const size of [1, 7, 64]) {
      const decoder = new RecordDecoder('x.jsonl')
      const found = []
      for (let at = 0; at < bytes.length; at += size) found.push(...decoder.push(bytes.slice(at, at + size)))
      expect([...found, ...decoder.end()]).toEqual(whole.map(record => ({ ...record, file: 'x.jsonl' })))
    }
  })

  it('continue where a decoder was saved within one', () => {
    const text = `${title}\n${pretty}\n${title}\n`
    const bytes = new TextEncoder().encode(text)
    const at = text.indexOf('"message"')
    const first = new RecordDecoder('x.jsonl')
    const before = first.push(bytes.subarray(0, at))
    const state = first.save()
    const second = new RecordDecoder('x.jsonl', state)
    const after = [...second.push(bytes.subarray(state.place.offset)), ...second.end()]
    expect([...before, ...after].map(({ type, line }) => [type, line])).toEqual(
      records(text).map(({ type, line }) => [type, line]),
    )
  })

  it('that never end are lines of their own, however many', () => {
    expect(records('{"a":\n'.repeat(20_000))).toHaveLength(20_000)
  })
})
