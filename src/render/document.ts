// A whole session as one document for people, with the name of a file for it. How it looks is up to the painters.

import type { SessionGraph } from '../model/session.ts'
import type { SessionDetail } from '../schema/contract-shapes.ts'
import { sessionDetail } from '../session/detail.ts'
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

/** `place`: where the session is, which the graph does not know. */
export function sessionDocument(
  graph: SessionGraph,
  format: DocumentFormat,
  place: { slug: string; files: string[] },
  options: ExportOptions = {},
): SessionDocument {
  const detail = sessionDetail(graph, { ...place, live: false, lineage: [] })
  const head = documentHead(detail)
  const paint = format === 'html' ? sessionToHtml : sessionToMarkdown
  const text = [...paint(viewSession(graph), head, options)].join('')
  return { name: `${fileName(detail.title) || detail.id}.${format}`, text }
}

/** The facts at the top of a document. */
export function documentHead(detail: SessionDetail): SessionHead {
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
    tokens: usage,
    ...(withInherited !== undefined && { withInherited }),
  }
}

const longestName = 60

/** Letters, digits and hyphens only: it becomes the name of a file. */
function fileName(title: string): string {
  const words = title.normalize('NFKD').match(/[\p{L}\p{N}]+/gu) ?? []
  return words.join('-').toLowerCase().slice(0, longestName).replace(/-+$/, '')
}
