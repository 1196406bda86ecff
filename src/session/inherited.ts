// What a session has from the one that it was forked or resumed from, and counts there: how much of what is shown of it. What is
// inherited is decided by `isInherited`.

import { isInherited } from '../model/origin.ts'
import type { SessionGraph } from '../model/session.ts'

export interface InheritedCounts {
  turns: number
  calls: number
}

/** Undefined where all of it is the session's own. */
export function inheritedCounts({ turns, toolCalls, nodes }: SessionGraph): InheritedCounts | undefined {
  const counts = {
    turns: turns.filter(({ prompt }) => isInherited(nodes.get(prompt)?.event)).length,
    calls: toolCalls.filter(({ requestEvent }) => isInherited(nodes.get(requestEvent)?.event)).length,
  }
  return counts.turns + counts.calls > 0 ? counts : undefined
}
