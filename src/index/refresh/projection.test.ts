// Whether projected events say the same as full ones, over all sessions that there are to compare: facts, threads, turns, statistics.

import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientHomes, corpusFolder, publicHome } from '../../../test/needs.ts'
import { scanSession } from '../../answers/sessions/full-rows.ts'
import { toMillis } from '../../base/instant.ts'
import { digestSession } from '../../graph/graph.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { StatsTally } from '../../session/stats.ts'
import { projectedGraph } from './projection.ts'
import { indexRoots, type TestIndex } from './projection-testing.ts'
import { summariseSession } from './summarise.ts'

const places: [name: string, tags: string[], roots: readonly string[]][] = [
  ['the sample history', [], [resolve('samples/home')]],
  ['sessions that people published', ['corpus', 'deep'], [publicHome]],
  ['what versions of Claude Code wrote', ['corpus', 'deep'], clientHomes],
  ['damaged variants of one session', ['corpus', 'deep'], [join(corpusFolder, 'resume')]],
]

/** Both readings of every session. */
interface Compared {
  index: TestIndex
  full: Map<string, SessionGraph>
  projected: Map<string, SessionGraph>
}

async function compare(roots: readonly string[]): Promise<Compared> {
  const index = await indexRoots(roots)
  const compared: Compared = { index, full: new Map(), projected: new Map() }
  for (const session of index.sessions) {
    compared.full.set(session.id, await loadSession(index.source, session))
    compared.projected.set(session.id, projectedGraph(index.db, session, index.fileIds))
    summariseSession(index.db, session, index.fileIds, 'fingerprint')
  }
  expect(index.sessions.length).toBeGreaterThan(0)
  return compared
}

type Look = (compared: Compared, session: SessionFiles, full: SessionGraph, projected: SessionGraph) => void

function each(compared: Compared, look: Look): void {
  for (const session of compared.index.sessions) {
    const [full, projected] = [compared.full.get(session.id), compared.projected.get(session.id)]
    look(compared, session, full as SessionGraph, projected as SessionGraph)
  }
}

async function compareFacts({ index }: Compared): Promise<void> {
  for (const session of index.sessions) {
    const { facts, summaries } = await scanSession(session, index.source)
    const row = index.db.prepare('SELECT facts, summaries FROM session WHERE id = ?').get([session.id])
    expect(JSON.parse(String(row?.[0]))).toEqual(JSON.parse(JSON.stringify(facts)))
    expect(JSON.parse(String(row?.[1]))).toEqual(summaries)
  }
}

const compareThreads: Look = ({ index }, { id }, full) => {
  const rows = index.db.prepare('SELECT id, kind, events FROM thread WHERE session = ? ORDER BY id').all([id])
  const threads = full.threads.map(thread => [thread.id, thread.kind, thread.events.length])
  expect(rows).toEqual(threads.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)))
}

const compareTurns: Look = ({ index }, { id }, full) => {
  const sql = 'SELECT n, prompt, thread, started, ended, duration, events, calls FROM turn WHERE session = ? ORDER BY n'
  const turns = full.turns.map(({ index: n, prompt, thread, startedAt, endedAt, durationMs, events, toolCalls }) => {
    const times = [toMillis(startedAt), toMillis(endedAt), durationMs ?? null]
    return [n, prompt, thread, ...times, events.length, toolCalls.length]
  })
  expect(index.db.prepare(sql).all([id])).toEqual(turns)
}

const compareLinks: Look = (_compared, _session, full, projected) => {
  const links = ({ threads }: SessionGraph) => threads.map(({ description: _, agentType: __, ...rest }) => rest)
  expect(links(projected)).toEqual(links(full))
  const calls = ({ toolCalls }: SessionGraph) =>
    toolCalls.map(({ input: _, progress: __, spillFile: ___, result: ____, ...rest }) => rest)
  expect(calls(projected)).toEqual(calls(full))
}

const compareDigests: Look = ({ index }, { id }, full, projected) => {
  const digest = digestSession(full)
  expect(digestSession(projected)).toEqual(digest)
  const rows = index.db.prepare('SELECT what, value FROM digest WHERE session = ?').all([id])
  const of = (kind: string) => rows.filter(([what]) => what === kind).map(([, value]) => String(value))
  const sorted = (values: readonly string[]) => [...new Set(values)].sort()
  expect(of('other').sort()).toEqual(sorted(digest.otherSessions))
  expect(of('forked').sort()).toEqual(sorted(digest.forkedFrom))
  expect(of('continued').sort()).toEqual(sorted(digest.continuedIn))
  expect(of('missing').sort()).toEqual(sorted([...new Set(digest.missingParents)].slice(0, 200)))
  expect(of('uuid').sort()).toEqual(sorted([...new Set(digest.uuids)].slice(0, 4)))
  expect(of('leaf').sort()).toEqual(sorted(digest.summaries.map(({ leaf }) => leaf)))
}

/** Session by session, so that a difference is found where it is, and all together. */
function compareStats(compared: Compared): void {
  const [files, rows] = [new StatsTally(), new StatsTally()]
  each(compared, (_compared, { id }, full, projected) => {
    const [one, other] = [new StatsTally(), new StatsTally()]
    for (const tally of [one, files]) tally.add(full)
    for (const tally of [other, rows]) tally.add(projected)
    expect(other.report([]), id).toEqual(one.report([]))
  })
  expect(rows.report([])).toEqual(files.report([]))
}

for (const [name, tags, roots] of places) {
  describe(`of ${name}`, { tags }, () => {
    let compared: Compared
    beforeAll(async () => {
      compared = await compare(roots)
    }, 120_000)
    afterAll(() => compared?.index.close())

    test('facts are those of reading the files', () => compareFacts(compared), 60_000)
    test('threads are those of the graph', () => each(compared, compareThreads))
    test('turns are those of the graph', () => each(compared, compareTurns))
    test('projected graphs link the same threads to the same calls', () => each(compared, compareLinks))
    test('digests name what the graph’s digest names', () => each(compared, compareDigests))
    test('statistics are the same', () => compareStats(compared), 60_000)
  })
}
