// Which events of a session that was read only in part may still be shown otherwise by later records. It does not know how
// much was read.

import type { SessionGraph } from '../model/session.ts'

/** Tools that start no subagent: other calls may get a thread from a file that was not read yet. */
const plainTools: ReadonlySet<string> = new Set(
  'Bash BashOutput KillShell Read Edit MultiEdit Write NotebookEdit Glob Grep LS TodoWrite WebFetch WebSearch'.split(
    ' ',
  ),
)

/** Open calls, calls that may hold a thread, prompts in a queue. */
export function uncertainEvents(graph: SessionGraph, hasAgentFiles: boolean): Set<string> {
  const found = new Set<string>()
  for (const call of graph.toolCalls) {
    const isOpen = call.status === 'missing' || call.status === 'running'
    if (isOpen || (hasAgentFiles && !plainTools.has(call.name))) found.add(call.requestEvent)
  }
  for (const event of graph.events) if (event.kind === 'queue') found.add(event.id)
  for (const thread of graph.threads) {
    const first = thread.kind === 'subagent' ? thread.events[0] : undefined
    if (first !== undefined) found.add(first)
  }
  return found
}
