// A session's title: what it was called, else what it was about. The order is the client's own, with branch summaries joined
// over the folder.

import { asString } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import type { BranchSummary, SessionGraph, TitleSource } from '../model/session.ts'

export interface Title {
  title: string
  titleFrom: TitleSource
}

/** `fileSummaries`: the summaries of the folder's other files, some of which name leaves of this session. */
export function titleOf(graph: SessionGraph, fileSummaries: readonly BranchSummary[]): Title {
  const { state } = graph
  const named: [string | undefined, TitleSource][] = [
    [state.customTitle, 'custom'],
    [state.aiTitle, 'ai'],
    [state.agentName, 'agent-name'],
    [state.lastPrompt === undefined ? undefined : shortened(state.lastPrompt), 'last-prompt'],
  ]
  for (const [title, titleFrom] of named) if (title) return { title, titleFrom }
  const summary = summaryTitle(graph, fileSummaries)
  if (summary !== undefined) return { title: summary, titleFrom: 'summary' }
  const prompt = firstPrompt(graph)
  if (prompt !== undefined) return { title: prompt, titleFrom: 'first-prompt' }
  return { title: graph.session, titleFrom: 'id' }
}

/** The active branch's, else the last that names a node of this session. */
function summaryTitle(graph: SessionGraph, fileSummaries: readonly BranchSummary[]): string | undefined {
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

/** The first thing a human wrote; a session of commands only is named by its first command. */
function firstPrompt(graph: SessionGraph): string | undefined {
  let command: string | undefined
  for (const event of graph.events) {
    if (event.thread !== graph.threads[0]?.id) continue
    if (event.kind === 'prompt') {
      const text = promptText(event)
      if (text !== '') return shortened(text)
    } else if (event.kind === 'command' && command === undefined) {
      command = asString(event.detail?.['command'])?.trim() || undefined
    }
  }
  return command === undefined ? undefined : shortened(command)
}

const markup =
  /^<(command-|local-command-|bash-|session-start-hook|tick|goal|ide_|system-reminder)|^\[Request interrupted/

/** Text of the first block that is neither markup of the client's nor an editor's note. */
function promptText(event: SessionEvent): string {
  for (const block of event.blocks) {
    if (block.type !== 'text') continue
    const text = block.text.replace(/<(ide_[a-z_]+|system-reminder)>[\s\S]*?<\/\1>/g, '').trim()
    if (text !== '' && !markup.test(text)) return text
  }
  return ''
}

/** One line of at most 200 characters. */
function shortened(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ').trim()
  if (line.length <= 200) return line
  // A pair of surrogates is one character and is not cut in two.
  const end = /[\ud800-\udbff]/.test(line.charAt(199)) ? 199 : 200
  return `${line.slice(0, end).trimEnd()}…`
}
