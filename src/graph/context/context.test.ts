import { describe, expect, test } from 'vitest'
import { jsonText } from '../../base/json.ts'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import type { Context, SessionGraph } from '../../model/session.ts'
import { buildContext, contextOfEvents } from './context.ts'
import {
  answer,
  call,
  chainRecord,
  change,
  lastPrompt,
  outline,
  type Rec,
  replace,
  result,
  say,
  text,
  thought,
  toLines,
  twoTurns,
  whole,
} from './context-testing.ts'

function contextOf(lines: string | readonly Rec[]): Context {
  const log = typeof lines === 'string' ? lines : toLines(lines)
  return contextOfEvents(sessionId('S'), decodeText(log, { session: 'S' }).events)
}

const sent = (...args: Parameters<typeof contextOf>): string[] => outline(contextOf(...args))
const without = (type: string) => twoTurns().filter(record => record['type'] !== type)

describe('a session that nothing is wrong with', () => {
  test('is sent turn by turn, with lines of one answer joined and results behind their calls', () => {
    expect(sent(twoTurns())).toEqual(whole)
  })

  test('names the reference client, the leaf, message ids and the events behind each message', () => {
    const context = contextOf(twoTurns())
    expect(context).toMatchObject({ session: 'S', reference: '2.1.325', resumable: true, leaf: 'a7' })
    expect(context.messages[1]).toMatchObject({ role: 'assistant', messageId: 'm1', events: ['a1', 'a2', 'a3'] })
    expect(context).not.toHaveProperty('reason')
  })

  test('gives the output tokens of an answer only where the log has the final number', () => {
    const usage = { input_tokens: 1, output_tokens: 7 }
    const final = { id: 'm', role: 'assistant', content: [text('hi')], stop_reason: 'end_turn', usage }
    const start = { ...final, stop_reason: null }
    const tokens = (message: object) =>
      contextOf([say('p', null, 'x'), chainRecord('assistant', 'a', 'p', { message })]).messages[1]?.tokens
    expect(tokens(final)).toBe(7)
    expect(tokens(start)).toBeUndefined()
  })

  test('is read from a graph as well', () => {
    const { events } = decodeText(toLines(twoTurns()), { session: 'S' })
    const graph = { session: sessionId('S'), events } as unknown as SessionGraph
    expect(outline(buildContext(graph))).toEqual(whole)
  })

  test('does not depend on line ends, a missing last newline, blank lines, unknown types or odd versions', () => {
    const lines = toLines(twoTurns())
    expect(sent(lines.replaceAll('\n', '\r\n'))).toEqual(whole)
    expect(sent(lines.trimEnd())).toEqual(whole)
    expect(sent(lines.replaceAll('\n', '\n\n   \n'))).toEqual(whole)
    expect(sent(twoTurns().flatMap(record => [record, { type: 'from-the-future', sessionId: 'S' }]))).toEqual(whole)
    expect(sent(twoTurns().map(record => ({ ...record, version: 'x.y' })))).toEqual(whole)
  })

  test('needs no session id and no field but type, uuid, parent, time and message', () => {
    expect(sent(twoTurns().map(({ sessionId: _, ...record }) => record))).toEqual(whole)
    const bare = twoTurns().map(({ type, uuid, parentUuid, timestamp, message }) => ({
      type,
      uuid,
      parentUuid,
      timestamp,
      message,
    }))
    expect(sent(bare)).toEqual(whole)
  })

  test('may have whole answers on one line, and several results on one', () => {
    const both = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'x', content: '1' },
        { type: 'tool_result', tool_use_id: 'y', content: '2' },
      ],
    }
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [text('both'), call('x'), call('y')]),
      chainRecord('user', 'r', 'a', { message: both }),
    ]
    expect(sent(lines).slice(1, 3)).toEqual(['assistant: both, call x, call y', 'user: result x, result y'])
  })
})

describe('damage', () => {
  test('a line that is no JSON takes its call or result with it and nothing else', () => {
    const broken = (uuid: string) =>
      toLines(twoTurns().map(record => (record['uuid'] === uuid ? {} : record))).replace('{}', '{"type":"us')
    expect(sent(broken('a5'))).toEqual([
      ...whole.slice(0, 3),
      'assistant: now a brush',
      'user: (no content)',
      ...whole.slice(5),
    ])
    expect(sent(broken('r2'))).toEqual([...whole.slice(0, 3), 'assistant: now a brush', ...whole.slice(5)])
  })

  test('a result whose call is gone is dropped, and a call in the middle whose result is gone', () => {
    const noCall = change(replace(twoTurns(), 'a5'), 'r2', { parentUuid: 'a4' })
    const noResult = change(replace(twoTurns(), 'r2'), 'a6', { parentUuid: 'a5' })
    const expected = [...whole.slice(0, 3), 'assistant: now a brush', ...whole.slice(5)]
    expect(sent(noCall)).toEqual(expected.toSpliced(4, 0, 'user: (no content)'))
    expect(sent(noResult)).toEqual(expected)
  })

  test('a parent that does not exist is bridged to the record of up to five seconds before', () => {
    expect(sent(change(twoTurns(), 'r2', { parentUuid: 'nowhere' }))).toEqual(whole)
    expect(sent(change(twoTurns(), 'p1', { parentUuid: 'nowhere' }))).toEqual(whole)
    const lines = twoTurns()
    const from = Date.parse(lines.find(({ uuid }) => uuid === 'a6')?.['timestamp'] as string)
    const later = (millis: number) =>
      change(lines, 'p2', { parentUuid: 'nowhere', timestamp: new Date(from + millis).toISOString() })
    expect(sent(later(5000))).toEqual(whole)
    expect(sent(later(5001))).toEqual(whole.slice(6))
  })

  test('a record of an unknown type in the chain is passed over', () => {
    const odd = chainRecord('hologram', 'h', 'a5', {})
    const lines = change(twoTurns(), 'r2', { parentUuid: 'h' })
    expect(sent([...lines.slice(0, 8), odd, ...lines.slice(8)])).toEqual(whole)
    expect(sent([odd, ...lines])).toEqual(whole)
  })

  test('a null parent in the middle is a root: what came before is gone, its results too', () => {
    expect(sent(change(twoTurns(), 'r2', { parentUuid: null }))).toEqual([
      'user: [Orphaned tool result removed due to conversation resume]',
      ...whole.slice(5),
    ])
    expect(sent(change(twoTurns(), 'p2', { parentUuid: null }))).toEqual(whole.slice(6))
  })

  test.each([
    ['r2', 'a6'],
    ['r2', 'r2'],
    ['p1', 'a7'],
    ['a2', 'a7'],
    ['a4', 'p2'],
  ])('a loop (%s hangs on %s) loses nothing', (uuid, parent) => {
    expect(sent(change(twoTurns(), uuid, { parentUuid: parent }))).toEqual(whole)
    expect(sent(change(without('last-prompt'), uuid, { parentUuid: parent }))).toEqual(whole)
  })

  test('of two records with one uuid the last counts', () => {
    expect(sent(twoTurns().flatMap(record => [record, record]))).toEqual(whole)
    const shared = change(twoTurns(), 'r2', { uuid: 'p1' })
    expect(sent(shared)).toEqual(whole.slice(1))
  })

  test('the first line of a file with a byte order mark is not read', () => {
    expect(sent(`\ufeff${toLines([{ type: 'mode', sessionId: 'S' }, ...twoTurns()])}`)).toEqual(whole)
    expect(sent(`\ufeff${toLines(twoTurns())}`)).toEqual(whole.slice(1))
  })

  test('of two records glued to one line the first is read', () => {
    const lines = toLines(twoTurns()).split('\n')
    const glued = [...lines.slice(0, 6), `${lines[6]}${lines[7]}`, ...lines.slice(8)].join('\n')
    const expected = [...whole.slice(0, 3), 'assistant: now a brush', 'user: (no content)', ...whole.slice(5)]
    expect(sent(glued)).toEqual(expected)
    const trailing = lines.map(line => (line === '' ? line : `${line}, and garbage`)).join('\n')
    expect(sent(trailing)).toEqual(whole)
  })

  test('a record that is spread over several lines is read', () => {
    const spread = twoTurns().map(record => JSON.stringify(record, null, record['uuid'] === 'a6' ? 2 : 0))
    expect(sent(`${spread.join('\n')}\n`)).toEqual(whole)
    expect(sent(`[\n${toLines(twoTurns()).trimEnd().replaceAll('\n', ',\n')}\n]\n`)).toEqual([])
    expect(sent(`[\n${toLines(twoTurns()).trimEnd().replaceAll('\n', ',\n')}\n`)).toEqual(whole)
  })

  test('without uuids one record is left, the last', () => {
    expect(sent(twoTurns().map(({ uuid: _, ...record }) => record))).toEqual(['assistant: thinking, green'])
  })

  test('calls with one id are sent once, with one result', () => {
    const twice = [
      ...twoTurns().slice(0, 5),
      answer('b1', 'r1', 'm9', [text('again'), call('c1')]),
      result('b2', 'b1', 'c1'),
    ]
    expect(sent(twice)).toEqual([
      ...whole.slice(0, 3),
      'assistant: again',
      'user: (no content)',
      'assistant: No response requested.',
    ])
    const bare = change(twice, 'b1', answer('b1', 'r1', 'm9', [call('c1')]))
    expect(sent(bare)[3]).toBe('assistant: [Tool use interrupted]')
  })
})

describe('a file above 5 MiB', () => {
  /** With so much in a line that Claude Code does not look into. */
  const padded = (records: readonly Rec[]) => [{ type: 'mode', padding: 'x'.repeat(5 * 1024 * 1024) }, ...records]
  const border: Rec = {
    parentUuid: null,
    ...chainRecord('system', 'b', null, { subtype: 'compact_boundary', logicalParentUuid: 'a6' }),
  }
  const compacted = [
    ...without('last-prompt').slice(0, 9),
    border,
    say('s', 'b', 'in short', { isCompactSummary: true }),
  ]

  test('is read line by line: a NUL before a record is passed over, a record of several lines is not read', () => {
    const nul = (records: readonly Rec[]) => toLines(records).replace('{"type":"user","uuid":"p2"', '\0\0$&')
    expect(sent(nul(twoTurns()))).not.toEqual(whole)
    expect(sent(nul(padded(twoTurns())))).toEqual(whole)
    const spread = (records: readonly Rec[]) =>
      records.map(record => JSON.stringify(record, null, record['uuid'] === 'a7' ? 2 : 0)).join('\n')
    expect(sent(spread(twoTurns()))).toEqual(whole)
    expect(sent(spread(padded(twoTurns())))).toEqual([...whole.slice(0, 7), 'assistant: No response requested.'])
    const array = (records: readonly Rec[]) => `[\n${toLines(records).trimEnd().replaceAll('\n', ',\n')}\n]\n`
    expect(sent(array(twoTurns()))).toEqual([])
    expect(sent(array(padded(twoTurns())))).toEqual(whole)
  })

  test('is cut by a compaction whose line is torn', () => {
    const torn = (records: readonly Rec[]) =>
      records.map(record => (record === border ? jsonText(border).slice(0, -1) : jsonText(record))).join('\n')
    expect(sent(torn(compacted))[0]).toBe('user: paint the fence')
    expect(sent(torn(padded(compacted)))).toEqual(['user: in short', 'assistant: No response requested.'])
  })

  test('is continued behind its last compaction, whatever the last-prompt behind that names', () => {
    const before = [...compacted, lastPrompt('a3')]
    expect(sent(before)[0]).toBe('user: paint the fence')
    expect(sent(padded(before))).toEqual(['user: in short', 'assistant: No response requested.'])
  })
})

describe('a session that broke off', () => {
  const firstTurn = (count: number) => twoTurns().slice(0, count)

  test('after a call gets a result that says so, and an answer that says nothing', () => {
    const context = contextOf(firstTurn(8))
    expect(outline(context).slice(3)).toEqual([
      'assistant: now a brush, call c2',
      'user: error c2',
      'assistant: No response requested.',
    ])
    expect(context.messages[4]).toMatchObject({ synthetic: true, events: [] })
    expect(JSON.stringify(context.messages[4])).toContain('[Tool call interrupted: the session ended before')
    expect(context.messages[5]).toMatchObject({ synthetic: true, events: [] })
  })

  test('after some of several parallel calls gets stand-ins for the others only', () => {
    const lines = [
      say('p', null, 'go'),
      answer('a', 'p', 'm', [call('x')]),
      answer('b', 'a', 'm', [call('y')]),
      result('r', 'a', 'x'),
    ]
    expect(sent(lines).slice(1, 3)).toEqual(['assistant: call x, call y', 'user: result x, error y'])
    expect(contextOf(lines).messages[2]?.synthetic).toBeUndefined()
  })

  test('after a prompt or a result gets an answer that says nothing', () => {
    expect(sent(firstTurn(1))).toEqual(['user: paint the fence', 'assistant: No response requested.'])
    expect(sent(firstTurn(5)).at(-1)).toBe('assistant: No response requested.')
  })

  test('within an answer leaves out thinking and blanks that nothing followed', () => {
    const cut = (content: unknown[]) => [...twoTurns().slice(0, 12), answer('z', 'p2', 'm9', content)]
    const expected = [...whole.slice(0, 7), 'assistant: No response requested.']
    expect(sent(cut([thought('hm')]))).toEqual(expected)
    expect(sent(cut([]))).toEqual([...whole.slice(0, 7), 'assistant: (no content)'])
    expect(sent(cut([text('  \n')]))).toEqual(expected)
  })

  test('and continued with a new prompt loses the call that was never answered', () => {
    const lines = [
      ...firstTurn(4),
      say('i', 'a3', '[Request interrupted by user for tool use]'),
      answer('n', 'i', 'm9', [text('well')]),
    ]
    expect(sent(lines)).toEqual([
      'user: paint the fence',
      'assistant: thinking, looking for paint',
      'user: [Request interrupted by user for tool use]',
      'assistant: well',
    ])
  })
})

describe('a session that Claude Code does not find', () => {
  const reasonOf = (...args: Parameters<typeof contextOf>) => {
    const { resumable, reason, leaf, messages } = contextOf(...args)
    expect({ resumable, leaf, messages }).toEqual({ resumable: false, leaf: null, messages: [] })
    return reason
  }

  test('has no records, only metadata, only sidechains or no times, and the reason says which', () => {
    expect(reasonOf([])).toMatch(/no records/)
    expect(reasonOf([{ type: 'mode', mode: 'plan', sessionId: 'S' }, lastPrompt('a')])).toMatch(
      /no record of the conversation/,
    )
    expect(reasonOf(twoTurns().map(record => ({ ...record, isSidechain: true })))).toMatch(/subagent/)
    expect(reasonOf(twoTurns().map(({ timestamp: _, ...record }) => record))).toMatch(/timestamp/)
    expect(reasonOf('garbage\n{"half":')).toMatch(/no record of the conversation/)
  })
})

describe('the leaf', () => {
  const branch = answer('z', 'p1', 'm9', [text('other branch')])
  const onBranch = ['user: paint the fence', 'assistant: other branch']

  test('is where the last last-prompt points, followed down to the newest record', () => {
    expect(sent([...twoTurns(), branch])).toEqual(whole)
    expect(sent([...twoTurns(), branch, lastPrompt('z')])).toEqual(onBranch)
    expect(sent([...twoTurns(), lastPrompt('a6')])).toEqual(whole)
    expect(sent([...twoTurns(), branch, lastPrompt('p1')])).toEqual(onBranch)
  })

  test('is the last one in the file where no last-prompt names a record, whatever the times', () => {
    const old = { ...branch, timestamp: '2020-01-01T00:00:00.000Z' }
    expect(sent([...without('last-prompt'), old])).toEqual(onBranch)
    expect(sent(without('last-prompt'))).toEqual(whole)
    expect(sent([...twoTurns(), branch, lastPrompt('00000000-0000-0000-0000-000000000000')])).toEqual(onBranch)
    expect(sent([...without('last-prompt'), say('q', null, 'second root')])).toEqual([
      'user: second root',
      'assistant: No response requested.',
    ])
  })

  test('in a reversed file is the stale one of the first last-prompt; without them nothing is lost', () => {
    expect(sent(twoTurns().reverse())).toEqual([...whole.slice(0, 3), 'assistant: No response requested.'])
    expect(sent(without('last-prompt').reverse())).toEqual(whole)
  })

  test('is never a sidechain, but any other record: a meta text, a team message, a notice', () => {
    const aside = (more: Rec) => [...without('last-prompt'), say('z', 'p1', 'aside', more)]
    expect(sent(aside({ isSidechain: true }))).toEqual(whole)
    for (const mark of [{ teamName: 't' }, { isMeta: true }]) {
      expect(sent(aside(mark))).toEqual(['user: paint the fence, aside', 'assistant: No response requested.'])
    }
    const notice = chainRecord('system', 'z', 'p1', { subtype: 'informational', content: 'psst' })
    expect(sent([...without('last-prompt'), notice])).toHaveLength(2)
  })

  test('is the record that last-prompt names where what follows does not hang on it', () => {
    const after = change(twoTurns().slice(0, -1), 'p2', { parentUuid: 'nowhere' })
    expect(sent(after)).toEqual(whole.slice(0, 6))
  })

  test('may be followed by attachments, notices and progress', () => {
    const notice = chainRecord('system', 's1', 'a7', { subtype: 'turn_duration', durationMs: 5 })
    const context = contextOf([...twoTurns(), notice, chainRecord('progress', 'g', 's1', { data: { type: 'x' } })])
    expect(context.leaf).toBe('a7')
    expect(outline(context)).toEqual(whole)
  })
})
