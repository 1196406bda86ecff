// The resume experiments of the format's description, one by one, on an invented session in the style of client 2.1.325:
// six texts, three calls with three results, records of Claude Code's own between them.

import { describe, expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import type { Context } from '../../model/session.ts'
import { buildGraph } from '../graph.ts'
import { buildContext } from './context.ts'
import { change, lastPrompt, type Rec, replace, toLines } from './context-testing.ts'

const session = '7d0c2a54-91b3-4e5f-8a66-3f1e0b9c4d21'
const start = Date.UTC(2026, 8, 1, 8)

const texts = {
  P1: 'Water the tomatoes when the soil is dry',
  T1: 'First a look at the sensor',
  T2: 'Bed two is at nine percent',
  T3: 'Both valves were open for two minutes',
  P2: 'How much water was that?',
  T4: 'About eleven litres',
}
const calls = ['toolu_sensor', 'toolu_log', 'toolu_valve']

function chained(at: number, type: string, uuid: string, parentUuid: string | null, more: Rec): Rec {
  return {
    parentUuid,
    isSidechain: false,
    type,
    ...more,
    uuid,
    timestamp: new Date(start + at * 50).toISOString(),
    userType: 'external',
    entrypoint: 'cli',
    cwd: '/home/ines/greenhouse',
    sessionId: session,
    version: '2.1.325',
    gitBranch: 'main',
  }
}

const user = (at: number, uuid: string, parent: string | null, content: unknown, more: Rec = {}): Rec =>
  chained(at, 'user', uuid, parent, { message: { role: 'user', content }, ...more })

const result = (at: number, uuid: string, parent: string, id: string): Rec =>
  user(at, uuid, parent, [{ tool_use_id: id, type: 'tool_result', content: `ok ${id}` }], {
    sourceToolAssistantUUID: parent,
    toolUseResult: { stdout: 'ok', stderr: '', interrupted: false, isImage: false },
  })

const model = (at: number, uuid: string, parent: string, id: string, block: Rec): Rec =>
  chained(at, 'assistant', uuid, parent, {
    requestId: `req_${id}`,
    message: {
      model: 'claude-sonnet-5',
      id,
      type: 'message',
      role: 'assistant',
      content: [block],
      stop_reason: 'tool_use',
      usage: { input_tokens: 4, output_tokens: 40, cache_read_input_tokens: 9000 },
    },
  })

const text = (words: string): Rec => ({ type: 'text', text: words })
const thought: Rec = { type: 'thinking', thinking: '', signature: 'c2ln' }
const use = (id: string): Rec => ({ type: 'tool_use', id, name: 'Bash', input: { command: `run ${id}` } })
const attachment = (at: number, uuid: string, parent: string): Rec =>
  chained(at, 'attachment', uuid, parent, { attachment: { type: 'todo_reminder', content: [], itemCount: 0 } })
const side = (type: string, more: Rec = {}): Rec => ({ type, sessionId: session, ...more })

function garden(): Rec[] {
  return [
    side('queue-operation', { operation: 'enqueue', timestamp: new Date(start).toISOString(), content: texts.P1 }),
    side('queue-operation', { operation: 'dequeue', timestamp: new Date(start).toISOString() }),
    user(1, 'p1', null, texts.P1, { permissionMode: 'default' }),
    attachment(1, 'x1', 'p1'),
    attachment(1, 'x2', 'x1'),
    side('api-request', { requestId: 'r1' }),
    model(2, 'a1', 'x2', 'msg_1', thought),
    model(3, 'a2', 'a1', 'msg_1', text(texts.T1)),
    model(4, 'a3', 'a2', 'msg_1', use('toolu_sensor')),
    lastPrompt('x3'),
    side('tools-used', { tools: ['Bash'] }),
    result(5, 'r1', 'a3', 'toolu_sensor'),
    attachment(5, 'x3', 'r1'),
    model(6, 'b1', 'x3', 'msg_2', text(texts.T2)),
    model(7, 'b2', 'b1', 'msg_2', use('toolu_log')),
    result(8, 'r2', 'b2', 'toolu_log'),
    model(9, 'c1', 'r2', 'msg_3', use('toolu_valve')),
    lastPrompt('c1'),
    result(10, 'r3', 'c1', 'toolu_valve'),
    model(11, 'd1', 'r3', 'msg_4', text(texts.T3)),
    lastPrompt('d1'),
    side('cost-state', { totalCostUSD: 0.02 }),
    user(60, 'p2', 'd1', texts.P2),
    model(61, 'e1', 'p2', 'msg_5', thought),
    model(62, 'e2', 'e1', 'msg_5', text(texts.T4)),
    lastPrompt('e2'),
    side('mode', { mode: 'normal' }),
  ]
}

function contextOf(log: string | readonly Rec[], id = session): Context {
  const { events } = decodeText(typeof log === 'string' ? log : toLines(log), { session: id, file: `${id}.jsonl` })
  return buildContext(buildGraph(sessionId(id), [{ path: `${id}.jsonl`, role: 'session', events }]))
}

interface Sent {
  texts: string[]
  calls: string[]
  results: string[]
  messages: number
}

function sent(log: string | readonly Rec[], id?: string): Sent {
  const { messages } = contextOf(log, id)
  const blocks = messages.flatMap(message => message.blocks)
  const said = blocks.flatMap(block => (block.type === 'text' ? [block.text.trimEnd()] : []))
  return {
    texts: Object.entries(texts).flatMap(([name, words]) => (said.some(one => one.includes(words)) ? [name] : [])),
    calls: blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId] : [])),
    results: blocks.flatMap(block => (block.type === 'tool-result' ? [block.callId] : [])),
    messages: messages.length,
  }
}

const complete: Sent = { texts: Object.keys(texts), calls, results: calls, messages: 10 }
const withoutLog = calls.filter(id => id !== 'toolu_log')
const without = (records: readonly Rec[], type: string): Rec[] => records.filter(record => record['type'] !== type)
const each = (bend: (record: Rec) => Rec): Rec[] => garden().map(bend)

/** The log with one record's line replaced by a text that is no JSON. */
function spoilt(isIt: (record: Rec) => boolean): string {
  const lines = garden().map(record => (isIt(record) ? '{"type":"user","mess\u0000' : JSON.stringify(record)))
  return `${lines.join('\n')}\n`
}
const named = (uuid: string) => (record: Rec) => record['uuid'] === uuid

describe('what client 2.1.325 sends when it resumes', () => {
  test('an identical copy, under a new id or only renamed: everything', () => {
    const other = '11111111-2222-4333-8444-555555555555'
    expect(sent(garden())).toEqual(complete)
    expect(
      sent(
        each(record => ('sessionId' in record ? { ...record, sessionId: other } : record)),
        other,
      ),
    ).toEqual(complete)
    expect(sent(garden(), other)).toEqual(complete)
  })

  test('a copy without the final newline: everything', () => {
    expect(sent(toLines(garden()).trimEnd())).toEqual(complete)
  })

  test('a log cut inside the last assistant line: the rest, and an answer that says nothing', () => {
    const whole = toLines(garden().slice(0, 25))
    const cut = whole.slice(0, whole.length - 200)
    expect(sent(cut)).toMatchObject({ texts: ['P1', 'T1', 'T2', 'T3', 'P2'], calls, results: calls, messages: 10 })
    expect(contextOf(cut).messages.at(-1)).toMatchObject({ role: 'assistant', synthetic: true })
  })

  test('garbage in place of a metadata line, or blank lines: everything', () => {
    expect(sent(spoilt(record => record['type'] === 'tools-used'))).toEqual(complete)
    expect(sent(spoilt(record => record['type'] === 'last-prompt' && record['leafUuid'] === 'c1'))).toEqual(complete)
    expect(sent(toLines(garden()).replaceAll('\n', '\n\n    \n'))).toEqual(complete)
  })

  test('garbage in place of a tool_use line: its result is dropped too, the rest is complete', () => {
    expect(sent(spoilt(named('b2')))).toEqual({ ...complete, calls: withoutLog, results: withoutLog })
  })

  test('garbage in place of a tool_result line, or none at all: the call is dropped, the rest is complete', () => {
    const expected = { ...complete, calls: withoutLog, results: withoutLog, messages: 9 }
    expect(sent(spoilt(named('r2')))).toEqual(expected)
    expect(sent(replace(garden(), 'r2'))).toEqual(expected)
    expect(sent(change(replace(garden(), 'r2'), 'c1', { parentUuid: 'b2' }))).toEqual(expected)
  })

  test('a log that ends after the last tool_use: a result that says it was interrupted is added', () => {
    const broken = garden().slice(0, 17)
    expect(sent(broken)).toEqual({ texts: ['P1', 'T1', 'T2'], calls, results: calls, messages: 8 })
    const added = contextOf(broken).messages[6]
    expect(added).toMatchObject({ role: 'user', synthetic: true, blocks: [{ type: 'tool-result', isError: true }] })
    expect(JSON.stringify(added)).toContain(
      "[Tool call interrupted: the session ended before this call's result was recorded",
    )
  })

  test('a parent that does not exist, in the middle or at the start: everything', () => {
    for (const uuid of ['r2', 'b1', 'c1', 'p1', 'p2'])
      expect(sent(change(garden(), uuid, { parentUuid: '99999999-0000-4000-8000-000000000000' }))).toEqual(complete)
  })

  test('a null parent in the middle: what came before is gone', () => {
    expect(sent(change(garden(), 'b1', { parentUuid: null }))).toEqual({
      texts: ['T2', 'T3', 'P2', 'T4'],
      calls: ['toolu_log', 'toolu_valve'],
      results: ['toolu_log', 'toolu_valve'],
      messages: 7,
    })
    expect(sent(change(garden(), 'r2', { parentUuid: null }))).toMatchObject({
      texts: ['T3', 'P2', 'T4'],
      calls: ['toolu_valve'],
      results: ['toolu_valve'],
    })
  })

  test('a loop, duplicate lines, CRLF, unknown types or foreign versions: everything', () => {
    expect(sent(change(garden(), 'r1', { parentUuid: 'd1' }))).toEqual(complete)
    expect(sent(change(garden(), 'p1', { parentUuid: 'e2' }))).toEqual(complete)
    expect(sent(garden().flatMap(record => ('uuid' in record ? [record, record] : [record])))).toEqual(complete)
    expect(sent([...garden(), ...garden()])).toEqual(complete)
    expect(sent(toLines(garden()).replaceAll('\n', '\r\n'))).toEqual(complete)
    expect(sent(garden().flatMap(record => [side('hologram', { depth: 3 }), record]))).toEqual(complete)
    for (const version of ['', '99.0.0', 'nightly', 7])
      expect(sent(each(record => ({ ...record, version })))).toEqual(complete)
  })

  test('a log with a byte order mark: its first line is not read', () => {
    expect(sent(`\ufeff${toLines(garden())}`)).toEqual(complete)
    const bare = without(garden(), 'queue-operation')
    expect(sent(`\ufeff${toLines(bare)}`).texts).not.toContain('P1')
  })

  test('records with type, uuid, parentUuid, sessionId, timestamp and message only: everything', () => {
    const bare = garden()
      .filter(record => 'message' in record || record['type'] === 'attachment')
      .map(({ type, uuid, parentUuid, sessionId, timestamp, message }) => ({
        type,
        uuid,
        parentUuid,
        sessionId,
        timestamp,
        ...(message === undefined ? {} : { message }),
      }))
    expect(sent(bare)).toEqual(complete)
    expect(sent(bare.filter(record => record.type !== 'attachment'))).toEqual(complete)
  })

  test('records without uuid: one old message', () => {
    expect(sent(each(({ uuid: _, ...record }) => record)).messages).toBe(1)
  })

  test.each([
    ['all on a sidechain', each(record => ('uuid' in record ? { ...record, isSidechain: true } : record))],
    ['empty', []],
    ['metadata only', garden().filter(record => !('uuid' in record))],
    ['without timestamps', each(({ timestamp: _, ...record }) => record)],
    ['with timestamps that are none', each(record => ('uuid' in record ? { ...record, timestamp: 'soon' } : record))],
  ])('a log that is %s: nothing, the session is not found', (_, records) => {
    expect(contextOf(records)).toMatchObject({ resumable: false, leaf: null, messages: [] })
    expect(contextOf(records).reason).toMatch(/^No conversation found/)
  })

  test('lines in reverse order: what a stale last-prompt leads to, and everything without one', () => {
    const reversed = sent(garden().reverse())
    expect(reversed.texts.length).toBeLessThan(6)
    expect(reversed.messages).toBeGreaterThanOrEqual(2)
    expect(reversed.messages).toBeLessThanOrEqual(4)
    expect(sent(without(garden(), 'last-prompt').reverse())).toEqual(complete)
  })

  test('lines in reverse order, with the first last-prompt pointing at the end: everything', () => {
    const records = without(garden(), 'last-prompt').reverse()
    expect(sent([lastPrompt('e2'), ...records])).toEqual(complete)
  })
})

describe('which leaf client 2.1.325 resumes from', () => {
  const leaf = (at: number): Rec[] => [
    user(at, 'z1', 'p1', 'Only bed one, please'),
    model(at + 1, 'z2', 'z1', 'msg_9', text('Only bed one then')),
  ]
  const onBranch = { texts: ['P1'], calls: [], results: [], messages: 2 }

  test('an extra leaf at the end is ignored while a last-prompt points elsewhere', () => {
    expect(sent([...garden(), ...leaf(100)])).toEqual(complete)
    expect(sent([...garden(), ...leaf(0)])).toEqual(complete)
  })

  test('it is taken when the last last-prompt points to it, or to a record above both', () => {
    expect(sent([...garden(), ...leaf(100), lastPrompt('z2')])).toEqual(onBranch)
    expect(sent([...garden(), ...leaf(100), lastPrompt('z1')])).toEqual(onBranch)
    expect(sent([...garden(), ...leaf(100), lastPrompt('p1')])).toEqual(onBranch)
  })

  test('it is taken when there is no last-prompt, whatever its time', () => {
    expect(sent([...without(garden(), 'last-prompt'), ...leaf(100)])).toEqual(onBranch)
    expect(sent([...without(garden(), 'last-prompt'), ...leaf(-9999)])).toEqual(onBranch)
  })

  test('a last-prompt of zeros, as after a rewind, or one that names nothing: the last leaf of the file', () => {
    for (const nowhere of ['00000000-0000-0000-0000-000000000000', 'gone']) {
      expect(sent([...garden(), ...leaf(100), lastPrompt(nowhere)])).toEqual(onBranch)
      expect(sent([...garden(), lastPrompt(nowhere)])).toEqual(complete)
    }
  })

  test('an old last-prompt on the way is followed down to the newest record', () => {
    expect(sent([...garden(), lastPrompt('d1')])).toEqual(complete)
  })
})

describe('a compaction as client 2.1.325 reads it back', () => {
  const border = (more: Rec = {}): Rec =>
    chained(70, 'system', 'k', null, {
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      logicalParentUuid: 'e2',
      level: 'info',
      compactMetadata: {
        trigger: 'manual',
        preTokens: 41_000,
        preservedSegment: { headUuid: 'p2', anchorUuid: 's', tailUuid: 'e2' },
        preservedMessages: { anchorUuid: 's', uuids: ['p2', 'e1', 'e2'], allUuids: ['p2', 'e1', 'e2'] },
        ...more,
      },
    })
  const summary = user(71, 's', 'k', 'So far: the tomatoes were watered', { isCompactSummary: true })
  const goingOn = (parent: string): Rec[] => [
    user(80, 'n1', parent, 'And the basil?'),
    model(81, 'n2', 'n1', 'msg_7', text('The basil is fine')),
    lastPrompt('n2'),
  ]
  const words = (records: readonly Rec[]): string[] =>
    contextOf(records)
      .messages.flatMap(message => message.blocks)
      .flatMap(block => (block.type === 'text' ? [block.text.trimEnd()] : []))
  const fresh = ['And the basil?', 'The basil is fine']
  const kept = [texts.P2, texts.T4]

  test('sends the summary, then what was preserved, then what is new', () => {
    for (const parent of ['s', 'e2']) {
      const found = words([...garden(), border(), summary, ...goingOn(parent)])
      expect(found).toEqual(['So far: the tomatoes were watered', ...kept, ...fresh])
    }
  })

  test('without the boundary line sends the whole old history again', () => {
    const found = words([...garden(), summary, ...goingOn('s')])
    expect(found).toEqual([...Object.values(texts), 'So far: the tomatoes were watered', ...fresh])
  })

  test('without the summary silently lacks that part', () => {
    expect(words([...garden(), border(), ...goingOn('e2')])).toEqual([...kept, ...fresh])
  })

  test('without the preserved segment silently lacks that part', () => {
    const bare = border({ preservedSegment: undefined, preservedMessages: undefined })
    expect(words([...garden(), bare, summary, ...goingOn('s')])).toEqual([
      'So far: the tomatoes were watered',
      ...fresh,
    ])
  })
})
