import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { indexRoots } from '../../index/refresh/projection-testing.ts'
import { summariseSession } from '../../index/refresh/summarise.ts'
import { indexedSession } from '../../index/search/sessions.ts'
import { loadSession } from '../../session/load.ts'
import { graphReader } from '../../session/reading/graph-reader.ts'
import { openClew } from '../open.ts'
import { firstOf } from './head.ts'

test('the first slots of a long session are those of the whole, from its first bytes alone', async () => {
  const samples = resolve(process.cwd(), 'samples/home')
  const index = await indexRoots([samples])
  const clew = await openClew({ home: '/nowhere', roots: [samples] })
  try {
    let compared = 0
    let forked = 0
    for (const session of index.sessions) {
      summariseSession(index.db, session, index.fileIds, 'fingerprint')
      const facts = indexedSession(index.db, session.id)?.facts
      if (facts === undefined) continue
      const context = { clew, files: session, isLive: false, isArchived: false, facts, lineage: [] }
      const read: number[] = []
      const source: typeof index.source = {
        ...index.source,
        read: (generation, from, to) => {
          read.push(to)
          return index.source.read(generation, from, to)
        },
      }
      const first = await firstOf(index.db, session, source, context, 12_000)
      if (first === null) continue
      compared++
      expect(read).toEqual([12_000])
      expect(first.head).toMatchObject({ id: session.id, title: facts.title, counts: { events: facts.events } })
      const whole = graphReader(await loadSession(index.source, session, { isLive: () => true }))
      const { slots } = await whole.items(0, first.items.slots.length)
      const ids = (lists: typeof slots) => lists.map(items => items.map(({ id, kind }) => `${id} ${kind}`))
      expect(ids(first.items.slots)).toEqual(ids(slots))
      // Nothing is shown that the whole session hides: a path that was left.
      const { branches } = await whole.outline()
      forked += Object.keys(branches).length
      expect(first.items.slots.filter((_, slot) => branches[slot] !== undefined)).toEqual([])
    }
    expect(forked).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(3)
  } finally {
    index.close()
  }
})
