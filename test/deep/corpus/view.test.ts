// Real sessions: whatever is in them can be shown, and every call once.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from '../../../src/disk/discover/discover.ts'
import { diskSource } from '../../../src/disk/read/read.ts'
import { threadId } from '../../../src/model/ids.ts'
import type { SessionGraph } from '../../../src/model/session.ts'
import { loadSession } from '../../../src/session/load.ts'
import { parseMarkdown } from '../../../src/view/markdown.ts'
import { viewSession } from '../../../src/view/thread.ts'
import type { ViewItem } from '../../../src/view/view.ts'
import { clientHomes, corpusFolder, publicHome } from '../../needs.ts'

/** Items with those of threads and abandoned branches inside them. */
function* allItems(items: readonly ViewItem[]): Generator<ViewItem> {
  for (const item of items) {
    yield item
    for (const part of item.body) if (part.type === 'thread' || part.type === 'branch') yield* allItems(part.items)
  }
}

function checkSession(graph: SessionGraph): void {
  const items = viewSession(graph)
  const mainCalls = graph.toolCalls.filter(call => call.thread === threadId(graph.session)).length
  const every = [...allItems(items)]
  const onMain = every.filter(item => item.kind === 'call' && item.thread === threadId(graph.session))
  expect(onMain.length, graph.session).toBe(mainCalls)
  expect(every.filter(item => item.kind === 'call').length, graph.session).toBe(graph.toolCalls.length)
  const threads = every.flatMap(item => item.body.flatMap(part => (part.type === 'thread' ? [part.thread] : [])))
  expect([...threads].sort(), graph.session).toEqual(
    graph.threads
      .slice(1)
      .flatMap(thread => (thread.events.length > 0 ? [thread.id] : []))
      .sort(),
  )
  for (const item of every) {
    expect(item.headline, item.id).not.toBe('')
    for (const part of item.body) if (part.type === 'markdown') parseMarkdown(part.text)
  }
  for (const turn of graph.turns) {
    const shown = viewSession(graph, { turns: [turn.index, turn.index], thread: turn.thread })
    expect(
      shown.every(item => item.turn === turn.index),
      graph.session,
    ).toBe(true)
  }
}

test('every session of every version can be shown, with every call once', { tags: 'corpus' }, async () => {
  for (const home of [...clientHomes, publicHome, join(corpusFolder, 'resume')]) {
    const { sessions } = await discover(home)
    for (const files of sessions) checkSession(await loadSession(diskSource(), files))
  }
})
