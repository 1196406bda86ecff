// Which title a session's graph gives it: the shared rule, with the summary of the active branch, joined over the folder.

import type { EventId } from '../../model/ids.ts'
import type { BranchSummary, SessionGraph, Thread } from '../../model/session.ts'
import { chooseTitle, PromptTitles, type Title } from '../../model/title.ts'

/** What a title is made of: a graph, or the parts of one. */
export interface Titled extends Pick<SessionGraph, 'session' | 'events' | 'state' | 'summaries' | 'branches'> {
  nodes: Pick<ReadonlyMap<EventId, unknown>, 'has'>
  /** The main one first. */
  threads: readonly Pick<Thread, 'id'>[]
}

/** `fileSummaries`: the summaries of the folder's other files, some of which name leaves of this session. */
export function titleOf(graph: Titled, fileSummaries: readonly BranchSummary[]): Title {
  const prompts = new PromptTitles()
  const main = graph.threads[0]?.id
  for (const event of graph.events) {
    if (event.thread === main) prompts.see(event)
    else prompts.seeAgent(event)
  }
  const summary = summaryTitle(graph, fileSummaries)
  return chooseTitle(graph.session, graph.state, { ...prompts.fallbacks(), summary })
}

/** The active branch's, else the last that names a node of this session. */
function summaryTitle(graph: Titled, fileSummaries: readonly BranchSummary[]): string | undefined {
  const active = graph.branches.find(branch => branch.isActive)
  if (active?.title) return active.title
  for (const summaries of [graph.summaries, fileSummaries]) {
    let last: string | undefined
    for (const { leaf, title } of summaries) {
      if (active?.leaf === leaf) return title
      if (graph.nodes.has(leaf)) last = title
    }
    if (last !== undefined) return last
  }
  return undefined
}
