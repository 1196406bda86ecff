// What a watch shows of a call when its result comes is what `clew show` shows of it.

import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from '../../disk/discover/discover.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { loadSession } from '../../session/load.ts'
import { planView } from '../../view/plan.ts'
import { ThreadViewer } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { itemsOf, OpenCalls } from './items.ts'

const { sessions } = await discover(resolve('samples/home'))

function calls(items: readonly ViewItem[]): ViewItem[] {
  return items.flatMap(item => {
    const inside = item.body.flatMap(part =>
      part.type === 'thread' || part.type === 'branch' ? calls(part.items) : [],
    )
    return item.kind === 'call' ? [item, ...inside] : inside
  })
}

const told = ({ headline, status }: ViewItem) => `${headline}: ${status}`
const hasEnded = ({ status }: ViewItem) => status === 'done' || status === 'failed'

test.each(sessions.map(session => [session.id, session] as const))('of each call of %s', async (_id, session) => {
  const graph = await loadSession(diskTree.source, session)
  const viewer = new ThreadViewer(planView(graph))
  const open = new OpenCalls()
  const watched: ViewItem[] = []
  for (const event of graph.events) {
    open.see(event)
    if (event.kind === 'tool-results') watched.push(...calls(itemsOf(event, open)))
    open.close(event)
  }
  // How work in the background ended is in later records.
  const later = new Set(watched.filter(({ status }) => status === 'running').map(({ headline }) => headline))
  const shown = calls(graph.threads.flatMap(({ id }) => [...viewer.items(id)])).filter(
    item => !later.has(item.headline),
  )
  expect(watched.filter(hasEnded).map(told).sort()).toEqual(shown.filter(hasEnded).map(told).sort())
})
