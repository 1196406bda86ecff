import { describe, expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { contextOfEvents } from '../../graph/context/context.ts'
import {
  answer,
  call,
  change,
  lastPrompt,
  outline,
  type Rec,
  replace,
  result,
  say,
  text,
  toLines,
  twoTurns,
  whole,
} from '../../graph/context/context-testing.ts'
import { sessionId } from '../../model/ids.ts'
import { type RepairChange, type RepairedLog, type RepairOptions, repairLog } from './repair.ts'

const encoder = new TextEncoder()

function repair(log: string | Uint8Array | readonly Rec[], options: Partial<RepairOptions> = {}): RepairedLog {
  let made = 0
  const bytes =
    typeof log === 'string'
      ? encoder.encode(log)
      : log instanceof Uint8Array
        ? log
        : encoder.encode(toLines(log as readonly Rec[]))
  return repairLog(bytes, { newId: () => `new-${++made}`, now: () => Date.UTC(2026, 0, 2), ...options })
}

const textOf = ({ lines }: RepairedLog): string => lines.map(line => `${line}\n`).join('')

/** What a resume of the repaired file sends; it also must be repaired for good. */
function sent(log: RepairedLog): string[] {
  const again = repair(textOf(log))
  expect(again.changes).toEqual([])
  expect(again.lines).toEqual(log.lines)
  return outline(contextOfEvents(sessionId('S'), decodeText(textOf(log), { session: 'S' }).events))
}

const kinds = ({ changes }: { changes: readonly RepairChange[] }): string[] => changes.map(({ kind }) => kind)
const turns = twoTurns()
const lines = (): string[] => toLines(turns).trimEnd().split('\n')
const lineOf = (uuid: string): number => twoTurns().findIndex(record => record['uuid'] === uuid)

/** The log with the line of one record as another text. */
function withLine(uuid: string, change: (line: string) => string): string {
  const at = lineOf(uuid)
  return lines()
    .map((line, place) => `${place === at ? change(line) : line}\n`)
    .join('')
}

const lost = 'user: error c1'
const withLostResult = whole.map(line => (line === 'user: result c1' ? lost : line))
const withoutFirstCall = whole.filter(line => line !== 'user: result c1').map(line => line.replace(', call c1', ''))

test('what is fine stays as it is, to the byte', () => {
  const bytes = encoder.encode(toLines(turns))
  expect(repair(bytes)).toEqual({ lines: lines(), changes: [], setAside: 0 })
})

describe('lines', () => {
  test.each<[string, (log: string) => string | Uint8Array, string]>([
    ['no line end', log => log.trimEnd(), 'line'],
    ['CR LF', log => log.replaceAll('\n', '\r\n'), 'line'],
    ['blank lines', log => log.replace('\n', '\n\n  \n'), 'line'],
    ['a byte order mark', log => `\ufeff${log}`, 'encoding'],
    ['NULs at the end', log => `${log}${'\0'.repeat(99)}`, 'line'],
    ['NULs before a record', log => `${'\0'.repeat(99)}${log}`, 'encoding'],
    ['two records on a line', log => log.replace('\n', ''), 'line'],
    ['commas', log => log.replaceAll('\n', ',\n'), 'line'],
    ['a list', log => `[\n${log.trimEnd().replaceAll('\n', ',\n')}\n]\n`, 'line'],
    ['a list on one line', log => `[${log.trimEnd().replaceAll('\n', ',')}]`, 'line'],
    ['a record over several lines', log => log.replace('{', '{\n  '), 'line'],
    ['a line end in a word', log => log.replace('false', 'fal\nse'), 'line'],
    ['a line end in an id', log => log.replace('"id":"c1"', '"id":"c\n1"'), 'line'],
    ['a line end in a name', log => log.replace('"message"', '"mes\r\nsage"'), 'line'],
    [
      'a line end before a block',
      log => log.replace('{"type":"tool_use"', '\n$&').replace('"output', '"out\nput'),
      'line',
    ],
    ['lines of a fixed length', log => log.replace(/.{50}/g, '$&\n').replaceAll('\n\n', '\n'), 'line'],
    ['numbers before every line', log => log.replace(/^/gm, () => '12: ').replace(/12: $/, ''), 'line'],
    ['a line end in a text', log => log.replace('paint the', 'paint\nthe'), 'line'],
    ['UTF-16', utf16, 'encoding'],
  ])('%s', (_, damage, kind) => {
    const log = repair(damage(toLines(twoTurns())))
    expect(new Set(kinds(log))).toContain(kind)
    expect(sent(log).map(line => line.replace('paint\nthe', 'paint the').replaceAll(/\n(?! )/g, ''))).toEqual(whole)
  })

  test('garbage is kept, softly deleted, and no resume sees it', () => {
    const log = repair(withLine('a6', line => `${line} }{ garbage`))
    expect(log.setAside).toBe(1)
    expect(log.lines.map(line => JSON.parse(line)).filter(({ isDeleted }) => isDeleted)).toEqual([
      { type: 'set-aside', isDeleted: true, line: 10, raw: ' }{ garbage', sessionId: 'S' },
    ])
    expect(sent(log)).toEqual(whole)
  })

  test('bytes that are no text are kept as base64', () => {
    const log = repair(Uint8Array.of(...encoder.encode(toLines(twoTurns())), 0xff, 0x41, 0x0a))
    expect(JSON.parse(log.lines.at(-1) ?? '')).toMatchObject({ encoding: 'base64', raw: btoa('\xffA') })
    expect(sent(log)).toEqual(whole)
  })
})

function utf16(log: string): Uint8Array {
  return new Uint8Array(Uint16Array.from([0xfeff, ...[...log].map(sign => sign.charCodeAt(0))]).buffer)
}

describe('torn records', () => {
  test('a text is sent as far as it goes, and hangs where it hung', () => {
    const log = repair(withLine('a6', line => line.slice(0, line.indexOf('painted') + 4)))
    expect(sent(log)).toEqual(whole.map(line => line.replace('painted', 'pain')))
    expect(log.lines.some(line => line.includes('"set-aside"'))).toBe(true)
  })

  test('a call whose input is whole keeps its result', () => {
    const log = repair(withLine('a3', line => line.slice(0, line.indexOf('}]') + 1)))
    expect(sent(log)).toEqual(whole)
  })

  test('a result without its beginning leaves its call, which gets one', () => {
    expect(sent(repair(withLine('r1', line => line.slice(60))))).toEqual(whole)
    expect(sent(repair(withLine('r1', line => line.slice(line.indexOf('output')))))).toEqual(withLostResult)
  })

  test('a prompt without the beginning of its record', () => {
    const log = repair(withLine('p2', line => line.slice(line.indexOf('"message"'))))
    expect(sent(log)).toEqual(whole)
  })

  test('a text without the beginning of its record and without its end', () => {
    const log = repair(withLine('a6', line => line.slice(line.indexOf('"role"'), line.indexOf('}]') + 3)))
    expect(sent(log)).toEqual(whole)
  })

  test('a number that is none ends what is read', () => {
    const log = repair(withLine('a6', line => line.replace('"type"', '"n":012,"type"')))
    expect(log.setAside).toBe(1)
  })

  test('half a character at the cut is left out', () => {
    const bytes = encoder.encode(toLines([say('p1', null, 'Gr\u00fc')]))
    const at = bytes.indexOf(0xc3)
    const log = repair(bytes.subarray(0, at + 1))
    expect(outline(contextOfEvents(sessionId('S'), decodeText(textOf(log), { session: 'S' }).events))[0]).toBe(
      'user: Gr',
    )
  })
})

describe('what identifies a record', () => {
  const each = (bend: (record: Rec) => Rec): Rec[] =>
    twoTurns().map(record => ('uuid' in record ? bend(record) : record))

  test.each<[string, Rec[], string]>([
    ['no uuids', each(({ uuid: _, ...record }) => record), 'uuid'],
    ['one uuid for two records', change(each(bendParent('r2', 'p1')), 'r2', { uuid: 'p1' }), 'uuid'],
    ['every record twice', twoTurns().flatMap(record => [record, record]), 'copy'],
    ['no times', each(({ timestamp: _, ...record }) => record), 'time'],
    ['times that are none', each(record => ({ ...record, timestamp: 'soon' })), 'time'],
    ['a session missing', change(twoTurns(), 'a4', { sessionId: undefined }), 'session'],
    [
      'a role that is another',
      change(twoTurns(), 'p2', { message: { role: 'system', content: 'which colour?' } }),
      'role',
    ],
    ['a type missing', change(twoTurns(), 'p2', { type: undefined }), 'role'],
    ['all marked as a subagent’s', each(record => ({ ...record, isSidechain: true })), 'sidechain'],
  ])('%s', (_, records, kind) => {
    const log = repair(records)
    expect(kinds(log)).toContain(kind)
    expect(sent(log)).toEqual(whole)
  })

  test('half of a surrogate pair becomes a replacement character', () => {
    const log = repair(withLine('p2', line => line.replace('which', 'which\\ud83d')))
    expect(kinds(log)).toEqual(['text'])
    expect(sent(log)[6]).toBe('user: which\ufffd colour?')
  })

  test('a new session has its own id, and nothing else changes', () => {
    const log = repair(turns, { session: 'T' })
    expect(log.lines.join('\n')).toBe(lines().join('\n').replaceAll('"sessionId":"S"', '"sessionId":"T"'))
    expect(kinds(log)).toEqual(['session'])
  })
})

const bendParent =
  (from: string, to: string) =>
  (record: Rec): Rec =>
    record['parentUuid'] === from ? { ...record, parentUuid: to } : record

describe('links', () => {
  test.each<[string, Rec[], string]>([
    ['a parent missing', change(twoTurns(), 'a4', { parentUuid: 'gone' }), 'parent'],
    ['a parent null', change(twoTurns(), 'a4', { parentUuid: null }), 'parent'],
    ['no parent', change(twoTurns(), 'a6', { parentUuid: undefined }), 'parent'],
    ['a loop', change(twoTurns(), 'r1', { parentUuid: 'a7' }), 'parent'],
    ['a loop from the beginning', change(twoTurns(), 'p1', { parentUuid: 'a7' }), 'parent'],
    ['a parent too far up', change(twoTurns(), 'p2', { parentUuid: 'p1' }), 'branch'],
    ['an answer too far up', change(twoTurns(), 'a6', { parentUuid: 'p1' }), 'branch'],
    ['lines in reverse order', twoTurns().reverse(), 'order'],
    [
      'two loops, one inside of the other',
      change(change(twoTurns(), 'a2', { parentUuid: 'a5' }), 'r1', { parentUuid: 'a7' }),
      'parent',
    ],
    [
      'a loop from a record to the end of the loop',
      change(change(twoTurns(), 'a3', { parentUuid: 'r2' }), 'r2', { parentUuid: 'a3' }),
      'parent',
    ],
    ['lines in reverse order and a stale last-prompt', [...twoTurns(), lastPrompt('a3')].reverse(), 'order'],
  ])('%s', (_, records, kind) => {
    const log = repair(records)
    expect(kinds(log)).toContain(kind)
    expect(sent(log)).toEqual(whole)
  })

  test('a message without content is kept, softly deleted', () => {
    const empty = { ...answer('x', 'a6', 'mx', []), message: { role: 'assistant', content: null } }
    const log = repair([...twoTurns().slice(0, 10), empty, ...change(twoTurns().slice(10), 'p2', { parentUuid: 'x' })])
    expect(log.setAside).toBe(1)
    expect(sent(log)).toEqual(whole)
  })

  test('answers without ids', () => {
    const ids = (record: Rec): Rec => {
      const { id: _, ...message } = record['message'] as Rec
      return { ...record, message }
    }
    const log = repair(twoTurns().map(record => (record['type'] === 'assistant' ? ids(record) : record)))
    expect(sent(log)).toEqual(whole)
  })

  test('a record that was torn and written again', () => {
    const records = (torn: (line: string) => string): string => withLine('a6', line => `${torn(line)}\n${line}`)
    for (const cut of [0, 10])
      expect(sent(repair(records(line => line.slice(0, line.indexOf('}]') - cut / 5))))).toEqual(whole)
  })

  test('a rewind stays a branch', () => {
    const records = [
      ...twoTurns(),
      say('p3', 'a6', 'which brush?'),
      answer('a8', 'p3', 'm5', [text('the wide one')]),
      lastPrompt('a8'),
    ]
    expect(repair(records).changes).toEqual([])
  })

  test('a rewind to the beginning does, by the mark that Claude Code leaves', () => {
    const nowhere = lastPrompt('00000000-0000-0000-0000-000000000000')
    const anew = [say('p3', null, 'paint the gate'), answer('a8', 'p3', 'm5', [text('gladly')]), lastPrompt('a8')]
    expect(repair([...twoTurns(), nowhere, ...anew]).changes).toEqual([])
    expect(sent(repair([...twoTurns(), ...anew]))).toEqual([...whole, 'user: paint the gate', 'assistant: gladly'])
  })

  test('two programs that wrote at once: turn by turn', () => {
    const [before, after] = [twoTurns().slice(0, 11), twoTurns().slice(12)]
    const records = [
      ...before,
      say('p2', 'a6', 'which colour?'),
      say('q1', 'a6', 'and the gate?'),
      ...after,
      answer('b1', 'q1', 'm7', [text('tomorrow')]),
      say('p3', 'a7', 'thanks'),
      lastPrompt('b1'),
    ]
    const log = repair(records)
    expect(sent(log).slice(-5)).toEqual([
      'assistant: thinking, green',
      'user: and the gate?',
      'assistant: tomorrow',
      'user: thanks',
      'assistant: No response requested.',
    ])
  })

  test('two programs that wrote at once, one in the middle of the turn of the other: its turn first', () => {
    const [before, after] = [twoTurns().slice(0, 4), twoTurns().slice(4)]
    const [q1, q2] = [say('q1', 'a2', 'and the gate?'), say('q2', 'b1', 'and the door?')]
    const [b1, b2] = [answer('b1', 'q1', 'm7', [text('tomorrow')]), answer('b2', 'q2', 'm8', [text('too')])]
    const log = repair([...before, q1, ...after.slice(0, 3), b1, q2, ...after.slice(3), b2])
    expect(sent(log)).toEqual([
      ...whole.slice(0, 6),
      'user: and the gate?',
      'assistant: tomorrow',
      ...whole.slice(6),
      'user: and the door?',
      'assistant: too',
    ])
  })

  test('another conversation in the file leaves the main thread', () => {
    const other = [say('o1', null, 'elsewhere'), answer('o2', 'o1', 'mo', [text('yes')])].map(record => ({
      ...record,
      sessionId: 'O',
    }))
    const log = repair([...other, ...twoTurns()])
    expect(log.setAside).toBe(2)
    expect(sent(log)).toEqual(whole)
    expect(sent(repair([...twoTurns(), ...other], { own: 'S' }))).toEqual(whole)
  })
})

describe('calls and results', () => {
  test('a call in the middle gets a result that takes the place of the missing one', () => {
    const log = repair(replace(twoTurns(), 'r1'))
    expect(kinds(log)).toEqual(['call'])
    expect(JSON.parse(log.lines[4] ?? '')).toMatchObject({
      uuid: 'r1',
      parentUuid: 'a3',
      sourceToolAssistantUUID: 'a3',
    })
    expect(sent(log)).toEqual(withLostResult)
  })

  test('also where what follows hangs on the call itself', () => {
    const records = change(replace(twoTurns(), 'r1'), 'a4', { parentUuid: 'a3' })
    expect(sent(repair(records))).toEqual(withLostResult)
  })

  test('a call at the end gets a result, too: older versions leave out a call without one', () => {
    const log = repair(twoTurns().slice(0, 8))
    expect(kinds(log)).toEqual(['call', 'time'])
    expect(sent(log).slice(0, 5)).toEqual([...whole.slice(0, 4), 'user: error c2'])
  })

  test('the last message is newer than all others: older versions continue from the newest record', () => {
    const times = (log: RepairedLog): number[] =>
      log.lines.map(line => Date.parse((JSON.parse(line) as { timestamp?: string }).timestamp ?? '') || 0)
    const log = repair(
      change(change(twoTurns(), 'p1', { timestamp: '2031-01-01T00:00:00.000Z' }), 'a4', { parentUuid: 'gone' }),
    )
    expect(kinds(log)).toEqual(['parent', 'time'])
    expect(times(log)[12]).toBe(Math.max(...times(log)))
    expect(times(log)[0]).toBeLessThan(Math.max(...times(log)))
  })

  test('a result whose call is gone is kept, softly deleted', () => {
    const log = repair(replace(twoTurns(), 'a3'))
    expect(log.setAside).toBe(1)
    expect(log.lines.map(line => JSON.parse(line)).find(({ uuid }) => uuid === 'r1')).toMatchObject({ isDeleted: true })
    expect(sent(log).join('\n')).toContain('looking for paint')
    expect(sent(log).slice(-4)).toEqual(withoutFirstCall.slice(-4))
  })

  test('a second result adds what it says to the first', () => {
    const second = {
      ...result('r3', 'r1', 'c1'),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'SECOND' }] },
    }
    const records = change(replace(twoTurns(), 'r1', ...twoTurns().filter(({ uuid }) => uuid === 'r1'), second), 'a4', {
      parentUuid: 'r3',
    })
    const log = repair(records)
    expect(sent(log)).toEqual(whole)
    expect(log.lines.find(line => line.includes('"uuid":"r1"'))).toContain('SECOND')
  })
})

describe('compaction', () => {
  const border = (more: Rec = {}): Rec => ({
    ...say('k', null, ''),
    type: 'system',
    subtype: 'compact_boundary',
    message: undefined,
    content: 'Conversation compacted',
    logicalParentUuid: 'a7',
    compactMetadata: { trigger: 'manual', preTokens: 10, ...more },
  })
  const summary = (): Rec => say('s', 'k', 'the fence is green', { isCompactSummary: true })
  const next = (parent: string): Rec[] => [
    say('n1', parent, 'go on'),
    answer('n2', 'n1', 'm9', [text('gone on')]),
    lastPrompt('n2'),
  ]

  test('one that is whole stays', () => {
    expect(repair([...twoTurns(), border(), summary(), ...next('s')]).changes).toEqual([])
  })

  test('without its border or its summary all that was before counts again', () => {
    const all = [...whole, 'user: the fence is green\n, go on', 'assistant: gone on']
    const join = (lines: string[]): string => lines.join('\n').replaceAll(/\s+/g, ' ')
    expect(join(sent(repair([...twoTurns(), summary(), ...next('s')])))).toBe(join(all).replace(' , go', ', go'))
    const log = repair([...twoTurns(), border(), ...next('s')])
    expect(kinds(log)).toContain('compaction')
    expect(sent(log)).toEqual([...whole, 'user: go on', 'assistant: gone on'])
    expect(sent(repair([...twoTurns(), border()]))).toEqual(whole)
  })

  test('a summary torn in half is sent as it is, behind all that was before', () => {
    const log = toLines([...twoTurns(), border(), summary(), ...next('s')])
    const torn = log.replace(/fence is green"[^\n]*/, 'fence is')
    const said = sent(repair(torn)).join('\n')
    expect(said).toContain('painted')
    expect(said).toContain('the fence is')
    expect(said).toContain('gone on')
  })

  test('a compaction that a stale last-prompt is before', () => {
    const records = [...twoTurns(), border(), summary(), ...next('s')]
    expect(sent(repair([...records, lastPrompt('a3')]))).toEqual(sent(repair(records)))
  })

  test('a compacted log in reverse order', () => {
    const records = [...twoTurns(), border({}), summary(), ...next('s')]
    expect(sent(repair([...records].reverse()))).toEqual(sent(repair(records)))
  })

  test('kept messages that are lost are taken off the list', () => {
    const kept = { anchorUuid: 's', uuids: ['p2', 'gone', 'a7'], allUuids: ['p2', 'gone', 'a7'] }
    const log = repair([...twoTurns(), border({ preservedMessages: kept }), summary(), ...next('s')])
    expect(kinds(log)).toEqual(['compaction'])
    expect(sent(log).join('\n')).toContain('which colour?')
  })
})

describe('nothing to resume', () => {
  test.each<[string, string]>([
    ['an empty file', ''],
    ['garbage', 'garbage\n'],
    ['metadata only', toLines([lastPrompt('x')])],
    ['a subagent’s file', toLines(twoTurns().map(record => ({ ...record, isSidechain: true, agentId: 'a1' })))],
    [
      'another dialect',
      '{"type":"human","uuid":"h1","parentUuid":null,"message":{"type":"message","content":"hi"},"timestamp":1}\n',
    ],
  ])('%s', (_, log) => {
    expect(() => repair(log)).toThrow(expect.objectContaining({ code: 'not-resumable' }))
  })
})

test('changes say what was before and after, by line', () => {
  const log = repair(change(twoTurns(), 'a4', { parentUuid: 'gone' }))
  expect(log.changes).toEqual([
    { line: 7, kind: 'parent', what: 'Its parent is missing', before: 'parentUuid: "gone"', after: 'parentUuid: "r1"' },
  ])
})

test('a long log without links is repaired', () => {
  const records = Array.from({ length: 4000 }, (_, at): Rec => say(`u${at}`, 'gone', `prompt ${at}`))
  expect(repair(records).lines.length).toBeGreaterThanOrEqual(4000)
})

test('thousands of further results of one call are added to the first in one change', () => {
  const resultOf = (at: number) => [{ type: 'tool_result', tool_use_id: 'c', content: `run ${at}` }]
  const further = Array.from({ length: 3000 }, (_, at): Rec => {
    return result(`s${at}`, 'a', 'c', { message: { role: 'user', content: resultOf(at) } })
  })
  const records = [say('p', null, 'go'), answer('a', 'p', 'm', [call('c')]), result('r', 'a', 'c'), ...further]
  const { lines, changes } = repair([...records, answer('b', 'r', 'n', [text('done')])])
  expect(changes.filter(({ line }) => line === 3).map(({ what }) => what)).toEqual([
    'Line 4 and 2999 more have other results of the call',
  ])
  for (const at of [0, 1500, 2999]) expect(lines[2]).toContain(`"run ${at}"`)
})

test('a long log in which every prompt hangs on the one before becomes one conversation', () => {
  const records = Array.from({ length: 3000 }, (_, at): Rec[] => [
    say(`p${at}`, at === 0 ? null : `p${at - 1}`, `prompt ${at}`),
    answer(`a${at}`, `p${at}`, `m${at}`, [text(`answer ${at}`)]),
  ]).flat()
  const { lines, changes } = repair(records)
  expect(changes).toHaveLength(2999)
  const parents = lines.map(line => (JSON.parse(line) as Rec)['parentUuid'])
  expect(parents.slice(1)).toEqual(records.slice(0, -1).map(({ uuid }) => uuid))
})

test('a call in an answer with a text', () => {
  const records = [
    say('p', null, 'go'),
    answer('a', 'p', 'm', [text('so'), call('c')]),
    say('q', 'a', 'next'),
    answer('b', 'q', 'n', [text('done')]),
  ]
  expect(sent(repair(records))).toEqual(['user: go', 'assistant: so, call c', 'user: error c, next', 'assistant: done'])
})

describe('a record that is missing twice', () => {
  const lostTwice = (): Rec[] => [
    say('p1', 'gone', 'paint the fence'),
    answer('a1', 'p1', 'm1', [call('c1')]),
    say('p2', 'gone', 'which colour?'),
    answer('a2', 'p2', 'm2', [text('green')]),
  ]

  test('gets no place below a record that hangs on it', () => {
    const lines = repair(lostTwice()).lines.map(line => JSON.parse(line) as Rec)
    const parents = new Map(lines.map(({ uuid, parentUuid }) => [uuid, parentUuid]))
    for (const uuid of parents.keys()) {
      const passed = new Set<unknown>()
      for (let at: unknown = uuid; parents.has(at); at = parents.get(at)) {
        expect(passed).not.toContain(at)
        passed.add(at)
      }
    }
  })

  test('leaves a conversation that is resumed complete', () => {
    expect(sent(repair(lostTwice()))).toEqual([
      'user: paint the fence',
      'assistant: call c1',
      'user: error c1, which colour?',
      'assistant: green',
    ])
  })
})
