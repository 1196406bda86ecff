// Whether thin events say the same as full ones, over all sessions that there are to compare: facts, threads, turns, statistics.

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StatsTally } from '../analyze/stats.ts'
import { toMillis } from '../base/instant.ts'
import { Scanner } from '../cli/list-scan.ts'
import type { PlacedSession } from '../disk/merge.ts'
import { digestSession } from '../graph/graph.ts'
import { buildNodes } from '../graph/nodes.ts'
import { loadSession } from '../load/load.ts'
import type { SessionGraph } from '../model/session.ts'
import { settleSession } from './settle.ts'
import { digestRows } from './settle-digest.ts'
import { thinGraph } from './thin-graph.ts'
import { indexRoots, type TestIndex } from './thin-testing.ts'

const corpus = resolve(process.cwd(), '../shared/corpus')
const places: [name: string, roots: () => string[]][] = [
  ['the sample history', () => [resolve(process.cwd(), 'samples/home')]],
  ['sessions that people published', () => [join(corpus, 'public')]],
  [
    'what versions of the client wrote',
    () => readdirSync(join(corpus, 'client')).map(name => join(corpus, 'client', name)),
  ],
  ['damaged variants of one session', () => [join(corpus, 'resume')]],
]

describe.each(places)('of %s', (name, rootsOf) => {
  let index: TestIndex | undefined
  const graphs = new Map<string, SessionGraph>()
  const thin = new Map<string, SessionGraph>()

  beforeAll(async () => {
    if (name !== 'the sample history' && !existsSync(corpus)) return
    index = await indexRoots(rootsOf())
    for (const session of index.sessions) {
      graphs.set(session.id, await loadSession(index.source, session))
      thin.set(session.id, thinGraph(index.db, session, index.fileIds))
      settleSession(index.db, session, index.fileIds, 'stamp')
    }
  }, 120_000)
  afterAll(() => index?.close())

  function each(look: (session: PlacedSession, full: SessionGraph, ours: SessionGraph) => void): void {
    if (index === undefined) {
      console.log('skipped: no corpus to compare')
      return
    }
    expect(index.sessions.length).toBeGreaterThan(0)
    for (const session of index.sessions) {
      look(session, graphs.get(session.id) as SessionGraph, thin.get(session.id) as SessionGraph)
    }
  }

  test('facts are those of reading the files', async () => {
    if (index === undefined) return
    const scanner = new Scanner({}, index.source)
    for (const session of index.sessions) {
      const { facts, summaries } = await scanner.scan(session)
      const row = index.db.prepare('SELECT facts, summaries FROM session WHERE id = ?').get([session.id])
      expect(JSON.parse(String(row?.[0]))).toEqual(JSON.parse(JSON.stringify(facts)))
      expect(JSON.parse(String(row?.[1]))).toEqual(summaries)
    }
  })

  test('threads are those of the graph', () => {
    each((session, full) => {
      const rows = index?.db
        .prepare('SELECT id, kind, events FROM thread WHERE session = ? ORDER BY id')
        .all([session.id])
      const threads = full.threads.map(({ id, kind, events }) => [id, kind, events.length])
      expect(rows).toEqual(threads.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
    })
  })

  test('turns are those of the graph', () => {
    each((session, full) => {
      const sql =
        'SELECT n, prompt, thread, started, ended, duration, events, calls FROM turn WHERE session = ? ORDER BY n'
      const turns = full.turns.map(
        ({ index: n, prompt, thread, startedAt, endedAt, durationMs, events, toolCalls }) => {
          const times = [toMillis(startedAt), toMillis(endedAt), durationMs ?? null]
          return [n, prompt, thread, ...times, events.length, toolCalls.length]
        },
      )
      expect(index?.db.prepare(sql).all([session.id])).toEqual(turns)
    })
  })

  test('thin graphs link the same threads to the same calls', () => {
    each((_session, full, ours) => {
      const links = ({ threads }: SessionGraph) => threads.map(({ description: _, agentType: __, ...rest }) => rest)
      expect(links(ours)).toEqual(links(full))
      const calls = ({ toolCalls }: SessionGraph) =>
        toolCalls.map(({ input: _, progress: __, spillFile: ___, ...rest }) => rest)
      expect(calls(ours)).toEqual(calls(full))
    })
  })

  test('statistics are the same', () => {
    const fromFiles = new StatsTally()
    const fromRows = new StatsTally()
    each((session, full, ours) => {
      fromFiles.add(full)
      fromRows.add(ours)
      const [one, other] = [new StatsTally(), new StatsTally()]
      one.add(full)
      other.add(ours)
      expect(other.report(), session.id).toEqual(one.report())
    })
    expect(fromRows.report()).toEqual(fromFiles.report())
  })

  test('digests name what the graph’s digest names', () => {
    each((_session, full, ours) => {
      const { startedAt, uuids, messageIds, missingParents, ...stated } = digestSession(full)
      expect(digestSession(ours)).toEqual({ startedAt, uuids, messageIds, missingParents, ...stated })
      const { skeleton, events } = buildNodes(ours.session, [{ path: '', role: 'session', events: ours.events }])
      const rows = digestRows(skeleton, events, ours.summaries)
      const of = (kind: string) => rows.filter(([what]) => what === kind).map(([, value]) => value)
      expect(of('other')).toEqual(stated.otherSessions)
      expect(of('forked')).toEqual(stated.forkedFrom)
      expect(of('continued')).toEqual(stated.continuedIn)
      expect(of('uuid')).toEqual([...new Set(uuids)].slice(0, 4))
      expect(of('leaf')).toEqual(stated.summaries.map(({ leaf }) => leaf))
    })
  })
})
