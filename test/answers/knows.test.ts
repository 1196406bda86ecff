// Who knows sessions answers alike: every question of the interface is asked of the logs and of an index, on the samples and on
// homes made by hand, and the answers are compared.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Clew } from '../../src/answers/clew.ts'
import { fromIndex } from '../../src/answers/knows/from-index.ts'
import { fromLogs } from '../../src/answers/knows/from-logs.ts'
import { openIndex } from '../../src/answers/knows/index-open.ts'
import { indexFor } from '../../src/answers/knows/index-use.ts'
import type { Knows } from '../../src/answers/knows/knows.ts'
import { closeClew, openClew } from '../../src/answers/open.ts'
import { noFilters } from '../../src/answers/sessions/filters.ts'
import { sessionId } from '../../src/model/ids.ts'
import { bundledPrices } from '../../src/usage/prices.ts'
import { type Home, writeHome } from '../specs/home.ts'
import { handMadeHome } from '../truth/hand-made.ts'
import { agentsHome, copiesHome, historyHome } from '../truth/homes.ts'

const homes: [name: string, files: Home | null][] = [
  ['the sample history', null],
  ['a home made by hand', handMadeHome()],
  ['subagents of every kind', agentsHome()],
  ['copies, the original first', copiesHome('original first')],
  ['copies, the fork first', copiesHome('fork first')],
  ['one line of history', historyHome()],
]

describe.each(homes)('of %s', (_name, files) => {
  const folder = mkdtempSync(join(tmpdir(), 'clew-knows-'))
  const roots = [files === null ? resolve('samples/home') : join(folder, 'claude')]
  let clew: Clew
  let logs: Knows
  let index: Knows

  beforeAll(async () => {
    if (files !== null) writeHome(roots[0] ?? '', files)
    const first = await openClew({ roots, home: join(folder, 'own') })
    ;(await openIndex(first, { isNeeded: true }))?.db.close()
    clew = await openClew({ roots, home: join(folder, 'own') })
    const used = await indexFor(clew)
    if (used === null) throw new Error('there is no index')
    index = fromIndex(used, clew)
    logs = fromLogs(await openClew({ roots, home: join(folder, 'none'), index: false }))
  }, 60_000)
  afterAll(async () => {
    await closeClew(clew)
    rmSync(folder, { recursive: true, force: true })
  })

  /** The same question to both; `of` gives what has to be equal. */
  async function both<Answer>(question: (knows: Knows) => Promise<Answer | null>, of: (answer: Answer) => unknown) {
    const [one, other] = await Promise.all([question(logs), question(index)])
    if (one === null || other === null) throw new Error('one of them does not know')
    expect(of(other)).toEqual(of(one))
  }

  it('sessions are the same, with all that lists say of them', async () => {
    await both(
      knows => knows.sessions({ isFull: true, filters: noFilters }),
      ({ rows, sessions, projects, isSample, isExact }) => ({
        rows: rows.map(({ session, facts, title, startedAt, endedAt, bytes }) => {
          return {
            id: session.id,
            title,
            startedAt,
            endedAt,
            bytes,
            facts,
            project: projects.of({ ...session, cwd: facts?.cwd ?? null }),
          }
        }),
        sessions: sessions.map(({ id }) => id).sort(),
        ...{ isSample, isExact },
      }),
    )
  })

  it('one session alone is one of them', async () => {
    const known = await index.sessions({ isFull: true, filters: noFilters })
    for (const { id } of known?.sessions.slice(0, 3) ?? []) {
      await both(
        knows => knows.sessions({ isFull: true, filters: noFilters, only: id }),
        ({ rows }) => rows.map(row => [row.session.id, row.facts]),
      )
    }
  })

  it('graphs have the same events, calls, turns and threads', async () => {
    const known = await logs.sessions({ isFull: true, filters: noFilters })
    for (const session of known?.sessions ?? []) {
      await both(
        knows => knows.graph(session),
        graph => ({
          events: graph.events.map(({ id, kind, thread }) => [id, kind, thread]),
          calls: graph.toolCalls.map(({ id, name, outcome }) => [id, name, outcome]),
          turns: graph.turns.map(({ prompt }) => prompt),
          threads: graph.threads.map(({ id, kind }) => [id, kind]),
        }),
      )
    }
  })

  it.each([true, false])('usage is the same, with sessions: %s', async withSessions => {
    const query = { promptSteps: bundledPrices.promptSteps, withTools: false, withSessions, withEstimate: true }
    await both(
      knows => knows.cells(query),
      ({ cells }) => {
        const sums = new Map<string, number[]>()
        for (const cell of cells) {
          const key = [withSessions ? `${cell.session} ${cell.thread}` : '', cell.model, cell.quarter].join(' ')
          const sum = sums.get(key) ?? [0, 0, 0, 0]
          const more = [cell.inputTokens, cell.outputTokens, cell.cacheReadTokens, cell.cacheCreationTokens]
          sums.set(
            key,
            sum.map((count, at) => count + (more[at] ?? 0)),
          )
        }
        return [...sums].sort()
      },
    )
  })

  it('what one session used is what all used, as far as it is its own', async () => {
    const query = { promptSteps: bundledPrices.promptSteps, withTools: false }
    for (const knows of [logs, index]) {
      const all = (await knows.cells(query))?.cells ?? []
      for (const id of new Set(all.map(({ session }) => session))) {
        const own = (await knows.cells({ ...query, only: sessionId(id) }))?.cells
        expect(own).toEqual(all.filter(({ session }) => session === id))
      }
      expect((await knows.cells({ ...query, only: sessionId('nobody') }))?.cells).toEqual([])
    }
  })

  it('messages that were counted have the same places', async () => {
    await both(
      knows => knows.messages(),
      ({ messages, files: found }) =>
        messages.map(one => [found[one.file]?.path, one.offset, one.session, one.outputTokens].join(' ')).sort(),
    )
  })

  it('prompts that were typed are the same', async () => {
    await both(
      knows => knows.prompts(),
      ({ typed, histories }) => ({
        typed: typed.map(({ session, event, at, text }) => [session, event, at, text.slice(0, 200)].join(' ')).sort(),
        histories: histories.map(({ path }) => path).sort(),
      }),
    )
  })
})
