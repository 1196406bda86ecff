import { describe, expect, it } from 'vitest'
import { textToBytes } from '../../base/bytes.ts'
import type { UsageStatement } from '../../model/usage.ts'
import type { UsageLog } from '../statement.ts'
import { visibleTokens } from '../statement.ts'
import { scanLog } from './scan.ts'
import { agentLog, decoded, log, readerOf, scanned } from './scan-testing.ts'

const usage = {
  input_tokens: 17,
  cache_creation_input_tokens: 2750,
  cache_read_input_tokens: 134_529,
  cache_creation: { ephemeral_5m_input_tokens: 2750, ephemeral_1h_input_tokens: 0 },
  output_tokens: 120,
  service_tier: 'standard',
  inference_geo: 'not_available',
}

const message = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
  content: [{ type: 'text', text: 'Done: "a\\b" → größe\n' }],
  stop_reason: null,
  usage,
}

const answer = {
  parentUuid: 'u0',
  isSidechain: false,
  userType: 'external',
  sessionId: 's',
  version: '2.1.45',
  type: 'assistant',
  message,
  requestId: 'req_01',
  uuid: 'u1',
  timestamp: '2026-03-03T09:00:10.115Z',
}

type Fields = Record<string, unknown>
const line = (more: Fields = {}, inMessage: Fields = {}, inUsage: Fields = {}) =>
  JSON.stringify({ ...answer, ...more, message: { ...message, ...inMessage, usage: { ...usage, ...inUsage } } })
const without = (key: string) => JSON.stringify({ ...answer, [key]: undefined })
const inside = (key: string) => JSON.stringify({ ...answer, message: { ...message, [key]: undefined } })

/** What scanning finds, after it was compared with what decoding finds. */
function found(text: string | Uint8Array, from: UsageLog = log): UsageStatement[] {
  const bytes = typeof text === 'string' ? textToBytes(text) : text
  const statements = scanLog(readerOf(bytes), from)
  expect(statements).toEqual(decoded(bytes, from))
  return statements
}

describe('a plain line', () => {
  it('states what full decoding says, and is not decoded', () => {
    const bytes = textToBytes(`${line()}\n${line({ isSidechain: true, agentId: 'a2' })}\n`)
    const seen = scanned(bytes, log)
    expect(seen).toEqual(decoded(bytes, log))
    expect(seen?.map(({ thread, echo }) => [thread, echo])).toEqual([
      ['s', 0],
      ['a2', 2],
    ])
    expect(seen?.[0]).toMatchObject({
      at: Date.UTC(2026, 2, 3, 9, 0, 10, 115),
      file: 3,
      offset: 0,
      model: 'claude-opus-4-6',
      inputTokens: 17,
      outputTokens: 120,
      cacheCreationTokens: 2750,
      cacheReadTokens: 134_529,
      isFinal: false,
      statedNanos: null,
    })
  })

  it('is plain in every version and with every usual field', () => {
    const lines = [
      line({ version: '2.1.97' }),
      line({ costUSD: 0.0125, requestId: undefined }),
      line({ forkedFrom: { sessionId: 'x', messageUuid: 'y' } }),
      line({ isApiErrorMessage: true }, { model: '<synthetic>', id: 'x' }),
      line({ agentId: 'a1', sessionId: 'other' }),
      line({ uuid: 'ü1', requestId: 'ré' }, { id: 'müsg', model: 'größe' }),
      line({}, { stop_reason: 'end_turn' }, { speed: 'fast', inference_geo: 'us' }),
      line({}, {}, { server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 }, iterations: [{ type: 'x' }] }),
      line({}, {}, { cache_creation: null, server_tool_use: null, speed: null, output_tokens: 0 }),
    ]
    const bytes = textToBytes(lines.join('\n'))
    expect(scanned(bytes, log)).toEqual(decoded(bytes, log))
  })

  it('is found wherever the buffer ends', () => {
    const long = (length: number) =>
      JSON.stringify({ ...answer, type: 'user', message: { role: 'user', content: 'x'.repeat(length) } })
    for (const length of [900, 1_048_000, 1_048_576, 3_000_000]) {
      const text = `${long(length)}\n${line()}\n${long(10)}\n${line({ filler: 'y'.repeat(length) })}\n${line()}`
      const bytes = textToBytes(text)
      expect(scanned(bytes, log)).toEqual(decoded(bytes, log))
    }
  })

  it('is of the agent in an agent file, and a copy where it states another session', () => {
    const seen = found(`${line()}\n${line({ sessionId: 'other', agentId: 'a9' })}\n`, agentLog)
    expect(seen.map(({ thread, echo }) => [thread, echo])).toEqual([
      ['a1', 2],
      ['a9', 3],
    ])
  })
})

describe('an unusual line', () => {
  const unusual: [what: string, text: string, count: number][] = [
    ['null ids', line({ requestId: null, uuid: null }, { id: null }), 1],
    ['empty ids', line({ requestId: '', uuid: '' }, { id: '' }), 1],
    ['no request id', without('requestId'), 1],
    ['no message id', inside('id'), 1],
    ['no model', inside('model'), 1],
    ['no usage', inside('usage'), 0],
    ['no type', without('type'), 0],
    ['no parent', without('parentUuid'), 1],
    ['no session', without('sessionId'), 1],
    ['no time', without('timestamp'), 1],
    [
      'no version, but a stop reason',
      JSON.stringify({ ...answer, version: undefined, message: { ...message, stop_reason: 'x' } }),
      1,
    ],
    ['fractions', line({}, {}, { input_tokens: 17.9, output_tokens: 1e3 }), 1],
    ['a negative number', line({}, {}, { input_tokens: -4 }), 1],
    ['a huge number', line({}, {}, { input_tokens: 1e300, output_tokens: 12_345_678_901_234_568 }), 1],
    ['numbers as texts', line({}, {}, { input_tokens: '17', cache_creation: 'none' }), 1],
    ['null numbers', line({}, {}, { input_tokens: null }), 1],
    [
      'usage that is a list',
      line({}, { usage: [] })
        .replace('"usage":{', '"usage":[{')
        .replace(/}},"requestId/, '}]},"requestId'),
      0,
    ],
    ['a time without milliseconds', line({ timestamp: '2026-03-03T09:00:10Z' }), 1],
    ['a time with microseconds', line({ timestamp: '2026-03-03T09:00:10.115999Z' }), 1],
    ['a time in another zone', line({ timestamp: '2026-03-03T09:00:10.115+02:00' }), 1],
    ['a time as milliseconds', line({ timestamp: 1_772_528_410_115 }), 1],
    ['a time as seconds with a fraction', line({ timestamp: 1_772_528_410.115 }), 1],
    ['a time that is none', line({ timestamp: '2026-02-30T24:00:10.115Z' }), 1],
    ['the hour 24', line({ timestamp: '2026-02-27T24:00:10.115Z' }), 1],
    ['an odd version', line({ version: 'v2.1-next' }), 1],
    ['a version that is a number', line({ version: 2, costUSD: 1 }), 1],
    ['a cost as text', line({ costUSD: '0.1' }), 1],
    ['a cost beyond numbers', line({}).replace('"uuid"', '"costUSD":1e999,"uuid"'), 1],
    ['a sidechain that is a text', line({ isSidechain: 'true' }), 1],
    [
      'usage in what a tool got',
      line({}, { content: [{ type: 'tool_use', id: 't', name: 'x', input: { usage: { input_tokens: 9 } } }] }),
      1,
    ],
    ['usage in a text', line({}, { content: [{ type: 'text', text: '{"usage":{"input_tokens":9}}' }] }), 1],
    ['a text called usage', line({}, { content: [{ type: 'text', text: 'usage' }] }), 1],
    [
      'usage of a tool result',
      JSON.stringify({ ...answer, type: 'user', toolUseResult: { usage }, message: { role: 'user', content: 'x' } }),
      0,
    ],
    ['the same field twice', line().replace('"uuid"', '"requestId":"req_02","uuid"'), 1],
    ['the message twice', line().replace('"uuid"', '"message":{"id":"msg_02","usage":{"output_tokens":1}},"uuid"'), 1],
    ['usage twice', line().replace('"usage":', '"usage":{"input_tokens":1},"usage":'), 1],
    ['an escape in another key', line().replace('"input_tokens"', '"input\\u005ftokens"'), 1],
    ['an escape in an id', line().replace('"msg_01"', '"msg\\u005f01"'), 1],
    ['an escape in the type', line().replace('"assistant","message"', '"\\u0061ssistant","message"'), 1],
    ['letters beyond ASCII', line({ uuid: 'ü1', requestId: 'ré' }, { id: 'müsg', model: 'größe' }), 1],
    [
      'blanks around everything',
      JSON.stringify(JSON.parse(line()), null, '\t').replaceAll('\n', ' ').replaceAll('": ', '"\t:  '),
      1,
    ],
    ['a line of another tool', line({ version: '0.3.1', userType: undefined }), 0],
    ['parts instead of content', line({}, { parts: [], content: undefined }), 0],
    ['a frame of a stream', JSON.stringify({ type: 'assistant', session_id: 's', message }), 0],
    [
      'specification 000',
      JSON.stringify({ ...answer, timestamp: 1_738_160_130_123, message: { ...message, role: undefined } }),
      1,
    ],
    ['specification 003', JSON.stringify({ ...answer, userType: 'human', toolName: 'Read' }), 1],
    ['usage next to the message', JSON.stringify({ ...answer, message: 'x', usage }), 0],
    ['a message that is a text', JSON.stringify({ ...answer, message: 'x "usage": {}', usage }), 0],
    ['a deep value', line({ deep: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown }), 1],
  ]
  it.each(unusual)('counts like any other: %s', (_, text, count) => {
    for (const from of [log, agentLog]) {
      expect(found(`${text}\n`, from)).toHaveLength(count)
      // With others around it, and without an end.
      expect(found(`${line()}\n${text}\r\n${line()}\n${text}`, from)).toHaveLength(2 + 2 * count)
    }
  })

  it.each([
    ['a byte order mark', `\ufeff${line()}\n`, 1],
    ['NULs', `\0\0${line().replace('"usage"', '"us\0age"')}\n`, 1],
    ['glued records', `${line()}${line({ uuid: 'u2' })}\n`, 2],
    ['glued behind a record that states nothing', `{"type":"user","uuid":"x","usage":1}${line()}\n`, 1],
    ['a torn record before another', `${line().slice(0, -40)}${line()}\n`, 1],
    ['a torn end', line().slice(0, -3), 0],
    ['a word that is none', `${line().replace('false', 'falsy')}\n`, 0],
    ['a comma too many', `${line().replace('"uuid"', ',"uuid"')}\n`, 0],
    ['a control character', `${line().replace('Done', 'Do\tne')}\n`, 0],
    ['an escape that is none', `${line().replace('Done', 'Do\\qne')}\n`, 0],
    ['a number that is none', `${line().replace(':17,', ':017,')}\n`, 0],
    ['a list', `[${line()}]\n`, 0],
  ])('is recovered as by decoding: %s', (_, text, count) => {
    expect(found(text)).toHaveLength(count)
  })

  it('is decoded with its log where earlier lines decide', () => {
    for (const text of [
      without('version'),
      line({ isSidechain: true }),
      JSON.stringify({ ...answer, type: 'progress', data: { type: 'agent_progress' } }),
    ]) {
      expect(scanned(textToBytes(`${text}\n`), log)).toBeNull()
      found(`${line()}\n${text}\n`)
    }
  })

  it('counts what a subagent reported through its parent', () => {
    const nested = { ...answer, uuid: 'n1', timestamp: '2026-03-03T09:00:09.000Z' }
    const { message: _, ...outer } = answer
    const progress = { ...outer, type: 'progress', data: { type: 'agent_progress', agentId: 'a2', message: nested } }
    expect(found(`${JSON.stringify(progress)}\n`)).toMatchObject([
      { echo: 6, at: Date.UTC(2026, 2, 3, 9, 0, 9), inputTokens: 17 },
    ])
    expect(found(`${JSON.stringify({ ...progress, data: { ...progress.data, type: 'x' } })}\n`)).toEqual([])
  })
})

describe('what records show', () => {
  const shown = { withTools: true, visibleTokens }
  const content = [
    { type: 'text', text: 'Looking at it.' },
    { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/a' } },
    { type: 'tool_use', id: 't2', name: 'Read\n', input: {} },
  ]

  it('is counted where it is asked for, once for each uuid', () => {
    const user = JSON.stringify({ ...answer, type: 'user', uuid: 'u7', message: { role: 'user', content: 'x' } })
    const lines = [line({}, { content }), line({}, { content }), user, line({ uuid: 'u7' }, { content })]
    const bytes = textToBytes(lines.join('\n'))
    const seen = scanLog(readerOf(bytes), log, shown)
    expect(seen).toEqual(decoded(bytes, log, shown))
    expect(seen.map(({ tools }) => tools)).toEqual([['Read\0t1', 'Read\n\0t2'], undefined, undefined])
    expect(seen.map(one => one.visibleTokens > 0)).toEqual([true, false, false])
  })
})
