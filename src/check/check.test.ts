// The runner: its counts, order, places, and what it notices beyond the rule table. Single rules are tested in test/rules.

import { describe, expect, test } from 'vitest'
import { checkFiles, runCase } from '../../test/rules/fixture.ts'
import {
  answerLine,
  clientLine,
  historyLine,
  s0Line,
  s3Line,
  text,
  toolResult,
  toolUse,
  userLine,
  uuid,
  without,
} from '../../test/rules/lines.ts'
import { profiles } from '../model/finding.ts'
import { builtinRules, foreignName } from './builtin.ts'
import { Checker } from './check.ts'

const bash = (id: string) => toolUse(id, 'Bash', { command: 'ls' })
const codes = (findings: readonly { code: string }[]) => findings.map(({ code }) => code)

describe('the report', () => {
  test('counts files, bytes, lines, records, types and dialects', async () => {
    const lines = [
      userLine(1, 'hello'),
      clientLine(2, 'system', { subtype: 'turn_duration' }),
      s0Line(3, 'human', 'x'),
      s3Line(4, 'compact_system', { message: 'conversation_compacted' }),
      { note: 'no type' },
    ]
    const content = `${lines.map(line => JSON.stringify(line)).join('\n')}\n`
    const report = await runCase(lines, 'real')
    expect(report).toMatchObject({ profile: 'real', files: 1, bytes: content.length, lines: 5, records: 5 })
    expect(report.byType).toEqual({
      '(none)': 1,
      compact_system: 1,
      human: 1,
      system: 1,
      'system/turn_duration': 1,
      user: 1,
    })
    expect(report.byDialect).toEqual({ client: 2, s0: 1, s3: 1, unknown: 1 })
  })

  test('counts records by status, and lines that have two records once', async () => {
    const one = JSON.stringify(userLine(1, 'hello'))
    const content = `${one}${JSON.stringify(userLine(2, 'x'))}\n\nnot json\n{"type":"from-the-future"}\n{"type":"us`
    const { counts, lines, records } = await runCase({ content }, 'real')
    expect(counts).toMatchObject({ known: 2, unknown: 1, malformed: 1, torn: 1, blank: 1, glued: 1, oversized: 0 })
    expect({ lines, records }).toEqual({ lines: 5, records: 6 })
  })

  test('counts an orphan again where its record is repeated', async () => {
    const orphan = userLine(2, 'x', { parentUuid: uuid(99) })
    const { counts, findings } = await runCase([userLine(1, 'hello'), orphan, orphan], 'real')
    expect(counts).toMatchObject({ orphans: 2, duplicates: 1 })
    expect(codes(findings).filter(code => code === 'orphan-parent')).toHaveLength(2)
  })

  test('does not miss the result of a tool that the API runs itself', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'carts' } }
    const { counts } = await runCase(
      [userLine(1, 'hello'), answerLine(2, [search]), answerLine(3, [bash('t')])],
      'real',
    )
    expect(counts).toMatchObject({ callsWithoutResult: 1 })
  })

  test('counts orphans, those with a logical parent apart, and compactions', async () => {
    const { counts } = await runCase(
      [
        userLine(1, 'hello'),
        userLine(2, 'x', { parentUuid: uuid(99) }),
        userLine(3, 'x', { parentUuid: uuid(98), logicalParentUuid: uuid(1) }),
        clientLine(4, 'system', { subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: uuid(3) }),
      ],
      'real',
    )
    expect(counts).toMatchObject({ orphans: 2, orphansWithLogicalParent: 1, compactions: 1 })
  })

  test('counts loops, repeated uuids and steps back in time', async () => {
    const { counts } = await runCase(
      [
        userLine(1, 'a', { parentUuid: uuid(2) }),
        userLine(2, 'b', { parentUuid: uuid(1) }),
        userLine(3, 'c', { timestamp: '2020-01-01T00:00:00.000Z' }),
        userLine(3, 'c', { timestamp: '2020-01-01T00:00:00.000Z' }),
      ],
      'real',
    )
    expect(counts).toMatchObject({ loops: 1, duplicates: 1, backwardTimestamps: 1 })
  })

  test('counts calls and results that lack each other, come in the wrong order, or share an id', async () => {
    const { counts } = await runCase(
      [
        userLine(1, [toolResult('toolu_late', 'ok')]),
        answerLine(2, [bash('toolu_late')]),
        answerLine(3, [bash('toolu_open')]),
        userLine(4, [toolResult('toolu_nowhere', 'ok')]),
        answerLine(5, [bash('toolu_twice')]),
        userLine(6, [toolResult('toolu_twice', 'ok')]),
        answerLine(7, [bash('toolu_twice')]),
      ],
      'real',
    )
    expect(counts).toMatchObject({
      resultsBeforeCall: 1,
      callsWithoutResult: 1,
      resultsWithoutCall: 1,
      duplicateCallIds: 1,
    })
  })

  test('sorts findings by file, place and code', async () => {
    const bad = without(userLine(1, 'hello'), 'uuid', 'sessionId', 'version')
    const { findings } = await runCase(
      {
        files: [
          { name: 'b.jsonl', lines: [bad, bad], session: 'b' },
          { name: 'a.jsonl', lines: [bad], session: 'a' },
        ],
      },
      's1',
    )
    const keys = findings.map(({ file, offset, code }) => [file ?? '', offset ?? -1, code] as const)
    const sorted = [...keys].sort((x, y) => {
      if (x[0] !== y[0]) return x[0] < y[0] ? -1 : 1
      return x[1] - y[1] || (x[2] < y[2] ? -1 : 1)
    })
    expect(keys).toEqual(sorted)
    expect(new Set(keys.map(([file]) => file)).size).toBe(2)
  })

  test('says where a finding is: file, line, offset and event', async () => {
    const { findings } = await runCase([userLine(1, 'hello'), userLine(2, 'x', { isMeta: 1 })], 's4')
    const found = findings.find(({ code }) => code === 'flag-is-meta')
    expect(found).toMatchObject({ line: 2, event: uuid(2), severity: 'error' })
    expect(found?.offset).toBeGreaterThan(0)
    expect(found?.message).toContain('1')
  })

  test('keeps messages short however long the value is', async () => {
    const { findings } = await runCase([userLine(1, 'hello', { sessionId: 'x'.repeat(100_000) })], 's1')
    expect(Math.max(...findings.map(({ message }) => message.length))).toBeLessThan(250)
  })
})

describe('findings about other files', () => {
  test('an orphan whose parent is in a file checked later is not an orphan', async () => {
    const continued = { name: 'a.jsonl', session: 'a', lines: [userLine(2, 'on')] }
    const before = { name: 'b.jsonl', session: 'b', lines: [userLine(1, 'hello')] }
    for (const files of [
      [continued, before],
      [before, continued],
    ]) {
      const { findings } = await runCase({ files }, 's4')
      expect(codes(findings)).not.toContain('orphan-parent')
    }
    expect(codes((await runCase({ files: [continued] }, 's4')).findings)).toContain('orphan-parent')
  })

  test('a result whose call is in a file checked later has a call', async () => {
    const result = { name: 'a.jsonl', session: 'a', lines: [userLine(2, [toolResult('toolu_1', 'ok')])] }
    const call = { name: 'b.jsonl', session: 'b', lines: [answerLine(1, [bash('toolu_1')])] }
    expect(codes((await runCase({ files: [result, call] }, 's2')).findings)).not.toContain('tool-result-without-call')
    expect(codes((await runCase({ files: [result] }, 's2')).findings)).toContain('tool-result-without-call')
  })

  test.each([
    ['root-null-parent', 's4', userLine(2, 'on')],
    ['source-tool-assistant-uuid', 'real', userLine(2, 'on', { sourceToolAssistantUUID: uuid(1) })],
  ] as const)('%s does not depend on the order of sessions', async (code, profile, line) => {
    const continued = { name: 'a.jsonl', session: 'a', lines: [line] }
    const before = { name: 'b.jsonl', session: 'b', lines: [userLine(1, 'hello')] }
    const found = async (files: (typeof before)[]) => codes((await runCase({ files }, profile)).findings)
    expect(await found([continued])).toContain(code)
    expect(await found([continued, before])).not.toContain(code)
    expect(await found([before, continued])).not.toContain(code)
  })

  test('what several checkers found, added in order, is what one finds', async () => {
    const files = ['c', 'a', 'b'].map((session, at) => ({
      name: `${session}.jsonl`,
      session,
      lines: [userLine(at + 1, 'hello', { cwd: `/${session}` }), s0Line(at + 4, 'human', 'x'), { note: session }],
    }))
    for (const profile of profiles) {
      const sum = new Checker(profile)
      for (const file of files) {
        const alone = new Checker(profile)
        checkFiles(alone, { files: [file] })
        sum.add(structuredClone(alone.checked()))
      }
      expect(sum.report()).toEqual(await runCase({ files }, profile))
    }
  })
})

describe('what no specification states', () => {
  const only = async (shape: Parameters<typeof runCase>[0]) => {
    const known = new Set(builtinRules.map(({ code }) => code))
    const { findings } = await runCase(shape, 'real')
    return findings.filter(({ code }) => known.has(code)).map(({ code, severity }) => `${severity} ${code}`)
  }

  test('a file of another tool is named once, by name, and its lines are not checked further', async () => {
    const line = { type: 'session_meta', payload: { id: 'x' }, timestamp: 'now' }
    const { findings } = await runCase([line, { ...line, type: 'response_item' }], 'real')
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ code: 'foreign-log', severity: 'error', line: 1 })
    expect(findings[0]?.message).toContain('Line 1 looks like a Codex log')
    expect(foreignName('newtool')).toBe('a log of newtool')
  })

  test('an empty file and one of blank lines have no records', async () => {
    expect(await only({ content: '' })).toEqual(['error no-records'])
    expect(await only({ content: '\n \n' })).toEqual(['error no-records'])
  })

  test('an empty history or journal is nothing to report', async () => {
    const files = ['/home/ada/.claude/history.jsonl', 'x/journal.jsonl'].map(name => ({ name, content: '' }))
    expect(await only({ files })).toEqual([])
  })

  test('a binary file is not a log', async () => {
    const content = Uint8Array.from({ length: 4000 }, (_, i) => (i * 37) % 256)
    expect(await only({ content })).toEqual(['error not-a-log'])
  })

  test('a file with one known record among broken lines is a log', async () => {
    expect(await only(['garbage', 'more', 'and more', userLine(1, 'hello')])).toEqual([])
  })

  test('an unknown type is named once per file', async () => {
    const lines = [{ type: 'hologram', a: 1 }, { type: 'hologram', a: 2 }, { type: 'aura' }]
    expect(await only(lines)).toEqual(['info unknown-record', 'info unknown-record'])
  })

  test('its codes are none of the rule table', async () => {
    const { ruleRows } = await import('./table.ts')
    const ids = new Set(ruleRows.map(({ id }) => id))
    expect(builtinRules.filter(({ code }) => ids.has(code))).toEqual([])
  })
})

test('lines of a prompt history are checked as such, and only there', async () => {
  const lines = [historyLine({ display: 1 }), historyLine({ project: 'shop' })]
  const { findings } = await runCase({ files: [{ name: '/home/ada/.claude/history.jsonl', lines }] }, 'real')
  expect(codes(findings)).toEqual(['history-display', 'history-project'])
})

test.each(profiles)('an empty check in profile %s finds nothing', async profile => {
  expect(await runCase({ files: [] }, profile)).toMatchObject({ files: 0, bytes: 0, records: 0, findings: [] })
})

test('a session with text alone has no error in the real profile', async () => {
  const { findings } = await runCase([userLine(1, 'hello'), answerLine(2, [text('hi')])], 'real')
  expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
})
