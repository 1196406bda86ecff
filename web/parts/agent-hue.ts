// The hue of a subagent, the same on every screen: its place among the session's subagents, over eight.

import type { SessionHead } from '../../src/view/reading.ts'

const hues = 8
const known = new WeakMap<SessionHead, Map<string, number>>()

/** 1 to 8, for the token `--agent-N`; 0 for the main thread and where nothing is known. */
export function agentHue(head: SessionHead | undefined, thread: string): number {
  if (!head) return 0
  let places = known.get(head)
  if (!places) {
    const agents = head.threads.filter(one => one.kind === 'subagent')
    places = new Map(agents.map((one, at) => [one.id, (at % hues) + 1]))
    known.set(head, places)
  }
  return places.get(thread) ?? 0
}
