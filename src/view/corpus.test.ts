// Sessions that real clients wrote, where they are at hand: whatever is in them can be shown, and every call once.

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from '../disk/discover/discover.ts'
import { diskSource } from '../disk/read/read.ts'
import { threadId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import { loadSession } from '../session/load.ts'
import { parseMarkdown } from './markdown.ts'
import { viewSession } from './thread.ts'
import type { ViewItem } from './view.ts'

const corpus = resolve(process.cwd(), '../shared/corpus')

function homes(): string[] {
  if (!existsSync(corpus)) return []
  const client = join(corpus, 'client')
  const versions = existsSync(client) ? readdirSync(client).map(version => join(client, version)) : []
  return [...versions, join(corpus, 'public'), join(corpus, 'resume')].filter(path => existsSync(path))
}

/** Items with those of threads inside them. */
function* allItems(items: readonly ViewItem[]): Generator<ViewItem> {
  for (const item of items) {
    yield item
    for (const part of item.body) if (part.type === 'thread') yield* allItems(part.items)
  }
}

function checkSession(graph: SessionGraph): void {
  const items = viewSession(graph)
  const mainCalls = graph.toolCalls.filter(call => call.thread === threadId(graph.session)).length
  expect(items.filter(item => item.kind === 'call').length, graph.session).toBe(mainCalls)
  const every = [...allItems(items)]
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
    const shown = viewSession(graph, { turn: turn.index, thread: turn.thread })
    expect(
      shown.every(item => item.turn === turn.index),
      graph.session,
    ).toBe(true)
  }
}

test('every session of every version can be shown, with every call once', async () => {
  const found = homes()
  if (found.length === 0) return console.log('skipped: no corpus of client logs')
  for (const home of found) {
    const { sessions } = await discover(home)
    for (const files of sessions) checkSession(await loadSession(diskSource(), files))
  }
}, 120_000)
