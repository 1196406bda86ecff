// Whether pages from rows and single records are those of the whole session.

import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { clientHomes, corpusFolder, publicHome } from '../../../test/needs.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import type { TestIndex } from '../../index/refresh/projection-testing.ts'
import { indexRoots } from '../../index/refresh/projection-testing.ts'
import { summariseSession } from '../../index/refresh/summarise.ts'
import { loadSession } from '../../session/load.ts'
import { graphReader } from '../../session/reading/graph-reader.ts'
import type { Outline, OutlineCall } from '../../view/reading.ts'
import { LargeSession } from './large-session.ts'

const places: [name: string, tags: string[], roots: readonly string[]][] = [
  ['the sample history', [], [resolve('samples/home')]],
  ['sessions that people published', ['corpus', 'deep'], [publicHome]],
  ['what versions of Claude Code wrote', ['corpus', 'deep'], clientHomes],
  ['damaged variants of one session', ['corpus', 'deep'], [join(corpusFolder, 'resume')]],
]

/** Of a long session, not all pages. */
const pageSlots = 29
const mostPages = 8
/** So few that nearly every page prunes an earlier one. */
const fewBytes = 30_000

async function compare(index: TestIndex, session: PlacedSession): Promise<boolean> {
  summariseSession(index.db, session, index.fileIds, 'fingerprint')
  const large = await LargeSession.open(index.db, session, index.source, { home: '/nowhere', mostBytes: fewBytes })
  if (large === null) return false
  const reading = await large.reading(session, index.source)
  if (reading === null) throw new Error('not read')
  const whole = graphReader(await loadSession(index.source, session, { isLive: () => true }))
  expect(reading.reader.slotCounts(), session.id).toEqual(whole.slotCounts())
  for (const thread of Object.keys(whole.slotCounts())) {
    const outline = await whole.outline(thread)
    expect(shortened(await reading.reader.outline(thread)), `${session.id} ${thread}`).toEqual(shortened(outline))
    const count = outline.ids.length
    const step = Math.max(pageSlots, Math.floor(count / mostPages))
    for (let from = 0; from < count; from += step) {
      const to = Math.min(count, from + pageSlots)
      const items = await reading.reader.items(from, to, thread)
      expect(items, `${session.id} ${thread} ${from}`).toEqual(await whole.items(from, to, thread))
    }
  }
  expect(await reading.reader.find('ERROR')).toEqual(await whole.find('ERROR'))
  expect(await reading.reader.head()).toEqual(await whole.head())
  return true
}

/** Rows contain the beginning of a command: so much of it is compared. */
function shortened(outline: Outline): Outline {
  const short = ({ target, ...call }: OutlineCall): OutlineCall =>
    target === undefined ? call : { ...call, target: target.slice(0, 250) }
  const calls = Object.entries(outline.calls).map(([slot, list]) => [slot, list.map(short)])
  return { ...outline, calls: Object.fromEntries(calls) }
}

for (const [name, tags, roots] of places) {
  test(`items of every page are those of the whole session, in ${name}`, { tags, timeout: 240_000 }, async () => {
    const index = await indexRoots([...roots])
    try {
      let compared = 0
      for (const session of index.sessions) if (await compare(index, session)) compared++
      expect(compared).toBeGreaterThan(0)
    } finally {
      index.close()
    }
  })
}
