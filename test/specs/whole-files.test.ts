// A home written throughout as one specification says is read without loss, and its own profile finds nothing to blame.

import { beforeAll, describe, expect, test } from 'vitest'
import type { Profile } from '../../src/model/finding.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import { callFacts, mainThread, subagents } from './expected.ts'
import { type CheckedHome, checkHome, type Home } from './home.ts'
import { home000, home001, home002, home003, home004 } from './whole-homes.ts'

const homes: readonly (readonly [Profile, Home])[] = [
  ['s0', home000()],
  ['s1', home001()],
  ['s2', home002()],
  ['s3', home003()],
  ['s4', home004()],
]
const checked = new Map<Profile, CheckedHome>()

beforeAll(async () => {
  for (const [profile, home] of homes) checked.set(profile, await checkHome(home, profile))
})

const of = (profile: Profile) => checked.get(profile)
const graphOf = (profile: Profile, at = 0): SessionGraph => {
  const graph = of(profile)?.graphs[at]
  if (graph === undefined) throw new Error(`no session ${at} in the home of ${profile}`)
  return graph
}
const statuses = (profile: Profile) =>
  callFacts(graphOf(profile), 'id', 'outcome').map(([id, status]) => `${id} ${status}`)

describe('a file written as a specification says', () => {
  test.each(homes)('has no finding above info in profile %s', profile => {
    const severe = of(profile)?.report.findings.filter(finding => finding.severity !== 'info')
    expect(severe?.map(({ code, severity, line, message }) => `${severity} ${code} ${line}: ${message}`)).toEqual([])
  })

  test.each(homes)('has only known lines in profile %s', (profile, home) => {
    const written = Object.values(home).flatMap(content => (typeof content === 'string' ? [] : content))
    const report = of(profile)?.report
    expect(report?.records).toBe(written.length)
    expect(report?.counts).toMatchObject({ known: written.length, unknown: 0, malformed: 0, torn: 0, loops: 0 })
  })
})

describe('its meaning', () => {
  test('000: two sessions, one with a delegation, a fork and a compaction', () => {
    expect(of('s0')?.graphs).toHaveLength(2)
    const graph = graphOf('s0')
    expect(of('s0')?.report.byDialect).toEqual({ s0: 25 })
    expect(subagents(graph)).toMatchObject([{ call: 'toolu_6', agentType: 'bug-hunter', events: { length: 4 } }])
    expect(statuses('s0').slice(3, 6)).toEqual(['toolu_4 done', 'toolu_5 failed', 'toolu_6 done'])
    expect(graph.compactions).toMatchObject([{ event: 'msg_20', preservedEvents: ['msg_20'], summaryEvent: 'msg_21' }])
    expect(graph.branches.map(branch => branch.leaf)).toContain('msg_18')
  })

  test('001: one conversation with a subagent', () => {
    const graph = graphOf('s1')
    expect(subagents(graph)).toMatchObject([{ id: 'a4f19c2', call: 'toolu_2' }])
    expect(statuses('s1')).toEqual(['toolu_1 done', 'toolu_2 done'])
    expect(graph.branches).toMatchObject([{ title: 'Rounding in the till', isActive: true }])
  })

  test('002: parallel calls, a subagent with its own file, a compaction, spilled output', () => {
    const graph = graphOf('s2')
    expect(subagents(graph)).toMatchObject([{ id: 'a7038ad', call: 'toolu_01T', agentType: 'Explore' }])
    expect(statuses('s2').sort()).toEqual([
      'toolu_01A done',
      'toolu_01B done',
      'toolu_01C failed',
      'toolu_01M done',
      'toolu_01S done',
      'toolu_01T done',
    ])
    expect(graph.compactions).toMatchObject([{ trigger: 'auto', preTokens: 167710 }])
    expect(graph.turns.map(turn => turn.durationMs).slice(0, 1)).toEqual([13750])
    expect(of('s2')?.report.byDialect).toMatchObject({ history: 3 })
  })

  test('003: a sidechain of two exchanges, calls paired by place, a compaction, orphans as roots', () => {
    const graph = graphOf('s3')
    expect(of('s3')?.report.byDialect).toEqual({ s3: 24 })
    expect(subagents(graph)).toMatchObject([{ events: ['msg-8', 'msg-9', 'msg-10', 'msg-11', 'msg-12'] }])
    expect(mainThread(graph)?.events).toHaveLength(19)
    expect(callFacts(graph, 'name', 'outcome')).toEqual([
      ['Read', 'done'],
      ['Grep', 'done'],
      ['Bash', 'interrupted'],
      ['Edit', 'done'],
    ])
    expect(graph.compactions).toMatchObject([{ event: 'msg-20', preservedMessages: 2, totalMessages: 18 }])
    expect(graph.roots).toEqual(['msg-1', 'msg-24'])
  })

  test('004: summaries title the branches, cost and interruption are kept', () => {
    const graph = graphOf('s4')
    expect(graph.branches.map(branch => branch.title)).toEqual(['Mend the rounding', 'Another till'])
    expect(subagents(graph)).toEqual([])
    expect(statuses('s4')).toEqual(['toolu_1 done', 'toolu_2 done', 'toolu_3 failed', 'toolu_4 interrupted'])
    expect(graph.messages[0]).toMatchObject({ costUSD: 0.0423, durationMs: 3150, stopReason: 'tool_use' })
  })
})
