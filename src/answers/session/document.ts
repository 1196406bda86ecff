// One session, or a part of it, as a document: Markdown, HTML or JSON. Where it goes is decided by who asks; the live page of
// the web app is in src/answers/reading.

import { jsonLine } from '../../base/escape.ts'
import { hasFlag } from '../../model/event.ts'
import type { EventId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { documentHead } from '../../render/document.ts'
import { sessionToHtml } from '../../render/html/html.ts'
import { sessionToMarkdown } from '../../render/markdown/markdown.ts'
import type { SessionDetail, SessionTalk } from '../../schema/contract-shapes.ts'
import { detailRows } from '../../session/detail.ts'
import { toEventLine } from '../../session/load.ts'
import type { Projects } from '../../session/projects.ts'
import { isPart, selectedPart } from '../../view/selected.ts'
import { type ViewOptions, viewSession } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import type { Clew } from '../clew.ts'
import { allProjects } from '../sessions/all-sessions.ts'
import { archiveNotes, detailOf, type ShownDetail } from './detail.ts'
import { eventNamed, onlyTalk, type Selection, viewOptionsFor } from './selection.ts'
import { withSpilled } from './spilled.ts'
import { loadWhole } from './verdict.ts'

/** The formats that are documents, not a terminal's text. */
export type DocumentFormat = 'md' | 'html' | 'json'

export interface DocumentQuery extends Selection {
  format: DocumentFormat
  /** Nothing is shortened; JSON has every event. */
  isFull: boolean
  showsThinking: boolean
  showsTimes: boolean
}

/** Its chunks. Throws a `FileFault` where the file contains no session. `projects`: of all sessions, where they are known. */
export async function documentOf(
  clew: Clew,
  session: SessionFiles,
  query: DocumentQuery,
  projects?: Projects,
): Promise<Iterable<string>> {
  // Pictures go into the page itself.
  const graph = await loadWhole(clew, session, { data: query.format === 'html' })
  const detail = await detailOf(graph, session, clew)
  if (query.format === 'json') return jsonOf(graph, detail, query)
  const known = projects ?? (await allProjects(clew))
  const projectName = known.of({ cwd: detail.project.cwd, slug: session.slug }).name
  const head = { ...documentHead(detail, { projectName }), notes: archiveNotes(detail, detail.id) }
  const viewed = onlyTalk(viewSession(graph, viewOptionsFor(graph, query)), query)
  const items = query.isFull ? [...withSpilled(viewed, session.side, clew.source)] : [...viewed]
  const paint = query.format === 'md' ? sessionToMarkdown : sessionToHtml
  return paint(items, head, {
    isFull: query.isFull,
    timestamps: query.showsTimes,
    thinking: query.showsThinking,
    data: true,
    ...(clew.timezone !== undefined && { timezone: clew.timezone }),
  })
}

/** Prompts and answers alone, all facts, or all facts with every event, which is a line each. */
function* jsonOf(graph: SessionGraph, detail: ShownDetail, options: DocumentQuery): Generator<string> {
  if (options.isTalk) {
    const { id, title, project, startedAt, endedAt } = detail
    const items = onlyTalk(viewSession(graph, viewOptionsFor(graph, options)), options)
    const messages = [...items].flatMap(item => talkOf(item))
    yield `${jsonLine({ id, title, project, startedAt, endedAt, messages } satisfies SessionTalk)}\n`
    return
  }
  const view = viewOptionsFor(graph, options)
  const isSelected = isPart(view)
  const part = isSelected ? selectedPart(graph, view) : graph
  const text = jsonLine(
    isSelected ? { ...detail, ...detailRows(part), selected: selectedOf(part, view, options) } : detail,
  )
  if (!options.isFull) {
    yield `${text}\n`
    return
  }
  yield `${text.slice(0, -1)},"events":[`
  for (const [i, event] of part.events.entries()) yield `${i === 0 ? '' : ','}\n${jsonLine(toEventLine(event))}`
  yield '\n]}\n'
}

/** What was asked for, by full ids, and how much that is. */
function selectedOf(
  part: SessionGraph,
  view: ViewOptions,
  { event }: Selection,
): NonNullable<SessionDetail['selected']> {
  const { thread, turns, branch, since } = view
  return {
    ...(thread !== undefined && { thread }),
    ...(turns !== undefined && { turns: [...turns] }),
    ...(branch !== undefined && { branch }),
    ...(since != null && { since }),
    ...(event !== undefined && { event: eventNamed(part, event).id }),
    events: part.events.filter(event => !hasFlag(event, 'copy')).length,
  }
}

/** `branch`: the leaf of the abandoned branch that it is on. */
function talkOf({ id, kind, at, body }: ViewItem, branch?: EventId): SessionTalk['messages'] {
  if (kind === 'branch') {
    return body.flatMap(part => (part.type === 'branch' ? part.items.flatMap(item => talkOf(item, part.leaf)) : []))
  }
  const text = body.flatMap(part => (part.type === 'markdown' || part.type === 'text' ? [part.text] : [])).join('\n')
  const where = branch === undefined ? {} : { branch }
  return [{ event: id, kind: kind === 'prompt' ? 'prompt' : 'answer', at, text, ...where }]
}
