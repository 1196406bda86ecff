// How many tokens fit into the context of a thread: what its model takes, unless the log shows that Claude Code
// compacted long before that. It does not say what is in the window.

import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { ThreadId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import { contextWindow } from '../usage/prices.ts'
import type { Pricing } from '../usage/session-usage.ts'
import { promptTokens } from './make-up.ts'

/** Without the window of a million that some models offer, Claude Code uses this one. */
const usualWindow = 200_000

/** Null where the model is not known. `of`: the thread; the main one where absent. */
export function contextWindowOf(
  graph: SessionGraph,
  { prices }: Pricing,
  of: ThreadId | undefined = graph.threads[0]?.id,
): number | null {
  const answers = graph.events.filter(event => event.thread === of && isAnswer(event))
  const model = answers.at(-1)?.message?.model
  const stated = model === undefined ? null : contextWindow(prices, model)
  if (stated === null || stated <= usualWindow) return stated
  const sizes = graph.compactions
    .filter(({ thread, trigger }) => thread === of && trigger === 'auto')
    .flatMap(({ preTokens }) => preTokens ?? [])
  const largest = answers.reduce(
    (most, { message }) => Math.max(most, message?.usage ? promptTokens(message.usage) : 0),
    0,
  )
  return sizes.some(size => size <= usualWindow) && largest <= usualWindow ? usualWindow : stated
}

function isAnswer(event: SessionEvent): boolean {
  return event.message?.model !== undefined && !hasFlag(event, 'synthetic')
}
