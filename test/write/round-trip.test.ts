// Every session in every dialect and back: what is read again is what was there, up to losses that are named with a reason;
// and the check of the dialect has nothing to say about it. Differences are found by compared.ts, not by the writer.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Checker } from '../../src/check/check.ts'
import { jobsOfPath, runJobs } from '../../src/check/scan/scan.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import type { SessionFiles } from '../../src/model/source.ts'
import { convertedSession } from '../../src/write/edit/converted.ts'
import { convertedPlace } from '../../src/write/place.ts'
import { publish } from '../../src/write/publish.ts'
import { convertSession, type WrittenSession } from '../../src/write/wire/convert.ts'
import { type WireDialect, wireDialects } from '../../src/write/wire/dialects.ts'
import { unexplained } from '../../src/write/wire/losses.ts'
import { samples, withFolder } from '../home.ts'
import { clientHomes, publicHome } from '../needs.ts'
import { readWritten, unnamedDifferences } from './compared.ts'
import { load, sessionsIn } from './sketch.ts'

let made = 0
const options = {
  newId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
  now: () => Date.UTC(2026, 5, 1),
}

function expectNamed(graph: SessionGraph, written: WrittenSession, read = readWritten(written)): void {
  const { losses, dialect } = written
  const about = (what: unknown) => [graph.session, dialect, what]
  expect(about(losses.filter(({ why }) => why === unexplained))).toEqual(about([]))
  expect(about(unnamedDifferences(graph, read, losses))).toEqual(about([]))
}

function expectRoundTrip(graph: SessionGraph, dialect: WireDialect): void {
  expectNamed(graph, convertSession(graph, dialect, options))
}

/** `real` → `s4` → `real`: nothing is lost but what was lost on the way to 004. */
function expectReturn(graph: SessionGraph): void {
  const before = readWritten(convertSession(graph, 'real', options))
  const old = convertSession(before, 's4', options)
  expectNamed(before, old, readWritten(convertSession(readWritten(old), 'real', options)))
}

describe('every sample session', async () => {
  const graphs = await Promise.all((await sessionsIn(samples)).map(load))

  it.each(wireDialects)('is the same in %s, up to losses with a reason', dialect => {
    for (const graph of graphs) expectRoundTrip(graph, dialect)
  })

  it('comes back from 004 with what 004 can say', () => {
    for (const graph of graphs) expectReturn(graph)
  })
})

describe('every real session', { tags: ['corpus', 'deep'] }, () => {
  for (const home of [...clientHomes, publicHome])
    it(`is the same in each dialect, up to losses with a reason: ${home}`, { timeout: 300_000 }, async () => {
      for (const files of (await discover(home)).sessions) {
        const graph = await load(files)
        for (const dialect of wireDialects) expectRoundTrip(graph, dialect)
        expectReturn(graph)
      }
    })
})

/** What a sample has that no dialect makes right: rule, session, and why. */
const excepted: Partial<Record<WireDialect, readonly (readonly [rule: string, session: string, why: string])[]>> = {
  real: [
    ['message-not-object', '8e354242-91e6-4a2c-a64d-e1e92c3ab924', 'a record that nobody knows is kept as it is'],
    ['compact-summary-user', 'session-427f30e8', '003 has no summaries, and none is made up'],
  ],
  s0: [['compact-prelude', 'session_cbqNcNVRPVkf', 'the sample has it: its second prelude follows the first']],
  s2: [['compact-summary-user', 'session-427f30e8', '003 has no summaries, and none is made up']],
  s4: [
    ['tool-call-without-result', 'session-427f30e8', 'the sample has calls that were aborted'],
    ['tool-call-without-result', '8b863dff-418d-4587-b367-608598f5e71c', 'in the sample its result is a torn line'],
  ],
}

async function findingsOf(files: SessionFiles, dialect: WireDialect, home: string): Promise<string[]> {
  const converted = convertedSession(await load(files), files, dialect, options)
  const { folder, name } = convertedPlace(home, dialect, converted)
  await publish(folder, { ...converted, name }, { tree: diskTree })
  const checker = new Checker(dialect)
  await runJobs(checker, await jobsOfPath(checker, home, { tree: diskTree }), diskTree)
  const above = checker.report().findings.filter(({ severity }) => severity !== 'info')
  return [...new Set(above.map(({ code }) => code))].map(code => `${code} ${files.id}`)
}

describe('the check of each dialect', () => {
  it.each(wireDialects)('has nothing above a note on samples in %s, but for what is excepted', dialect =>
    withFolder(async folder => {
      const found: string[] = []
      for (const files of await sessionsIn(samples))
        found.push(...(await findingsOf(files, dialect, join(folder, files.id))))
      expect(found.sort()).toEqual((excepted[dialect] ?? []).map(([rule, session]) => `${rule} ${session}`).sort())
    }),
  )
})
