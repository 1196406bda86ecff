// Answers that need every text of a session that is too large to be held: it is loaded whole in a worker thread, which has
// the session it read last until it has been idle for a while. Everything else about large sessions is in large-session.ts.

import { openSource } from '../../index/store/source.ts'
import type { CopiedPart } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { type DocumentFormat, type KnownHead, type SessionDocument, sessionDocument } from '../../render/document.ts'
import { loadSession } from '../../session/load.ts'
import { type GraphReader, graphReader } from '../../session/reading/graph-reader.ts'
import type { ContextAt, FileTouched } from '../../view/reading.ts'
import type { DiffPart } from '../../view/view.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'

const idleMs = 30_000

interface WholeArgs {
  /** Clew's own folder. */
  home: string
  files: SessionFiles
  /** What the session has from another one. */
  copied: CopiedPart | undefined
  query:
    | { files: true }
    | { netDiff: string }
    | { contextAt: string | null }
    | { document: DocumentFormat; timezone: string | null; known: KnownHead }
}

let last: { key: string; reader: Promise<GraphReader> } | undefined

export const wholeTask: Task<WholeArgs, FileTouched[] | DiffPart | null | ContextAt | SessionDocument> = {
  name: 'server/whole-session',
  async run({ home, files, copied, query }) {
    if ('document' in query) {
      // Pictures go into the page itself.
      const graph = await loadSession(openSource(home), files, { data: query.document === 'html', copied })
      const paths = [...files.logs, ...files.side].map(({ path }) => path)
      const options = { data: true, ...(query.timezone === null ? {} : { timezone: query.timezone }) }
      return sessionDocument(graph, query.document, { slug: files.slug, files: paths }, options, query.known)
    }
    const key = JSON.stringify([home, files, copied])
    if (last?.key !== key) last = { key, reader: loadSession(openSource(home), files, { copied }).then(graphReader) }
    const reader = await last.reader.catch(error => {
      last = undefined
      throw error
    })
    if ('netDiff' in query) return reader.netDiff(query.netDiff)
    return 'files' in query ? reader.files() : reader.contextAt(query.contextAt)
  },
}

const pool = new WorkerPool({ size: 1, idleMs })

/** Answers about files that do not change any more: each is computed once. */
export class WholeSession {
  private readonly home: string
  private readonly session: SessionFiles
  private readonly copied: CopiedPart | undefined
  private readonly answers = new Map<string, Promise<unknown>>()

  constructor(home: string, session: SessionFiles, copied?: CopiedPart) {
    this.home = home
    this.copied = copied
    this.session = session
  }

  files(): Promise<FileTouched[]> {
    return this.ask({ files: true }) as Promise<FileTouched[]>
  }

  netDiff(path: string): Promise<DiffPart | null> {
    return this.ask({ netDiff: path }) as Promise<DiffPart | null>
  }

  contextAt(event: string | null): Promise<ContextAt> {
    return this.ask({ contextAt: event }) as Promise<ContextAt>
  }

  document(format: DocumentFormat, timezone: string | undefined, known: KnownHead): Promise<SessionDocument> {
    return this.ask({ document: format, timezone: timezone ?? null, known }) as Promise<SessionDocument>
  }

  private ask(query: WholeArgs['query']): Promise<unknown> {
    const key = JSON.stringify(query)
    const known = this.answers.get(key)
    if (known !== undefined) return known
    const answer = pool.run(wholeTask, { home: this.home, files: this.session, copied: this.copied, query })
    this.answers.set(key, answer)
    answer.catch(() => this.answers.delete(key))
    return answer
  }
}
