// A whole session as one document for people, with the name of a file for it. How it looks is up to the painters.

import type { SessionGraph } from '../model/session.ts'
import type { SessionDetail } from '../schema/contract-shapes.ts'
import { sessionDetail } from '../session/detail.ts'
import { Projects } from '../session/projects.ts'
import { viewSession } from '../view/thread.ts'
import { sessionToHtml } from './html/html.ts'
import { sessionToMarkdown } from './markdown/markdown.ts'
import type { ExportOptions, SessionHead } from './words.ts'

export type DocumentFormat = 'html' | 'md'

/** A document, and what its file may be called. */
export interface SessionDocument {
  name: string
  text: string
}

/** What is known of a session from others. */
export type KnownHead = Partial<Pick<SessionHead, 'title' | 'projectName' | 'tokens' | 'withInherited' | 'notes'>>

/** `place`: where the session is, which the graph does not know. */
export function sessionDocument(
  graph: SessionGraph,
  format: DocumentFormat,
  place: { slug: string; files: string[] },
  options: ExportOptions = {},
  known: KnownHead = {},
): SessionDocument {
  const detail = sessionDetail(graph, { ...place, live: false, lineage: [] })
  const head = documentHead(detail, known)
  const paint = format === 'html' ? sessionToHtml : sessionToMarkdown
  const text = [...paint(viewSession(graph), head, options)].join('')
  return { name: `${fileName(head.title) || detail.id}.${format}`, text }
}

/** The facts at the top of a document. */
export function documentHead(detail: SessionDetail, known: KnownHead): SessionHead {
  const { id, title, project, startedAt, endedAt, models, versions, files, usage, withInherited } = detail
  return {
    id,
    title,
    project: project.cwd,
    startedAt,
    endedAt,
    models,
    versions,
    files,
    ...(project.cwd !== null || project.slug !== '' ? { projectName: new Projects([project]).of(project).name } : {}),
    ...(known.tokens === undefined && { tokens: usage, ...(withInherited !== undefined && { withInherited }) }),
    ...known,
  }
}

const longestName = 60

/** Letters, digits and hyphens only: it becomes the name of a file. */
function fileName(title: string): string {
  const words = title.normalize('NFKD').match(/[\p{L}\p{N}]+/gu) ?? []
  return words.join('-').toLowerCase().slice(0, longestName).replace(/-+$/, '')
}
