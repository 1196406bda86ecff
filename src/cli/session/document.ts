// One session as a document: Markdown, HTML or JSON, for `clew show --format` and `clew export` alike. Where it goes is up to
// them.

import { archiveNotes, detailOf, type ShownDetail } from '../../answers/session/detail.ts'
import type { EventId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { documentHead } from '../../render/document.ts'
import { sessionToHtml } from '../../render/html/html.ts'
import { sessionToMarkdown } from '../../render/markdown/markdown.ts'
import type { SessionHead } from '../../render/words.ts'
import type { SessionDetail, SessionTalk } from '../../schema/contract-shapes.ts'
import { detailRows } from '../../session/detail.ts'
import { toEventLine } from '../../session/load.ts'
import type { Projects } from '../../session/projects.ts'
import { isPart, selectedPart } from '../../view/selected.ts'
import { type ViewOptions, viewSession } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import type { GlobalOptions } from '../command.ts'
import { jsonLine } from '../terminal/output.ts'
import { eventNamed, onlyTalk, type ShowOptions, viewOptionsFor } from './show-options.ts'
import { withSpilled } from './show-text.ts'
import { type FileVerdict, loadWhole } from './verdict.ts'

/** The formats that are documents, not a terminal's text. */
export type DocumentFormat = 'md' | 'html' | 'json'

/** Its chunks; null where the file contains no session, as the verdict says. */
export async function documentOf(
  session: SessionFiles,
  format: DocumentFormat,
  options: ShowOptions,
  globals: GlobalOptions,
  verdict: FileVerdict,
  projects: () => Promise<Projects>,
): Promise<Iterable<string> | null> {
  // Pictures go into the page itself.
  const graph = await loadWhole(session, globals, verdict, format === 'html')
  if (verdict.isHopeless) return null
  const detail = await detailOf(graph, session, globals.clew)
  if (format === 'json') return jsonOf(graph, detail, options)
  const projectName = (await projects()).of({ cwd: detail.project.cwd, slug: session.slug }).name
  return pageOf(graph, format, documentHead(detail, { projectName }), detail, session, options, globals)
}

function pageOf(
  graph: SessionGraph,
  format: 'md' | 'html',
  about: SessionHead,
  detail: ShownDetail,
  session: SessionFiles,
  options: ShowOptions,
  globals: GlobalOptions,
): Iterable<string> {
  const viewed = onlyTalk(viewSession(graph, viewOptionsFor(graph, options)), options)
  const items = options.isFull ? [...withSpilled(viewed, session.side, globals.clew.source)] : [...viewed]
  const head = { ...about, notes: archiveNotes(detail, detail.id) }
  const exportOptions = {
    isFull: options.isFull,
    timestamps: options.showsTimes,
    thinking: options.showsThinking,
    data: true,
    ...(globals.clew.timezone !== undefined && { timezone: globals.clew.timezone }),
  }
  const paint = format === 'md' ? sessionToMarkdown : sessionToHtml
  return paint(items, head, exportOptions)
}

/** Prompts and answers alone, all facts, or all facts with every event, which is a line each. */
function* jsonOf(graph: SessionGraph, detail: ShownDetail, options: ShowOptions): Generator<string> {
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
  { event }: ShowOptions,
): NonNullable<SessionDetail['selected']> {
  const { thread, turns, branch, since } = view
  return {
    ...(thread !== undefined && { thread }),
    ...(turns !== undefined && { turns: [...turns] }),
    ...(branch !== undefined && { branch }),
    ...(since != null && { since }),
    ...(event !== undefined && { event: eventNamed(part, event).id }),
    events: part.events.length,
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
