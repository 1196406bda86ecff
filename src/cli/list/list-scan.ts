// Reads sessions whole for a list, one after the other: their summaries, and whether a text stands in them. The same class
// works in worker threads and in the main one; only plain data goes in and out.

import { isUnnamed } from '../../disk/discover/folder-titles.ts'
import { ReadError } from '../../disk/read/read.ts'
import { matcherOf } from '../../grep/pattern.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import type { BranchSummary } from '../../model/session.ts'
import type { ByteSource, SessionFiles } from '../../model/source.ts'
import type { Title } from '../../model/title.ts'
import { eventDecoder, loadSession, recordBatches } from '../../session/load.ts'
import { SessionSummary, type SummaryRow } from '../../session/summary.ts'
import { readFinding } from '../session/verdict.ts'

export interface ScanOptions {
  /** What `--grep` looks for in prompts, answers and titles. */
  grep?: string
}

export interface Scan {
  facts: SummaryRow
  /** Titles of branches that its files hold, for the folder's other sessions. */
  summaries: BranchSummary[]
  /** Absent where nothing is looked for. */
  isMatch?: boolean
  /** What could not be read. */
  findings: Finding[]
}

/** Does the work for some of the sessions. */
export interface Hand {
  scan(session: SessionFiles): Promise<Scan>
  /** A title for a session that this hand scanned, from the summaries of its folder. */
  retitle(session: SessionFiles, folder: readonly BranchSummary[]): Promise<Title>
  close(): Promise<void>
}

export class Scanner implements Hand {
  /** Sessions without a title of their own, until their folders are known. */
  private readonly unnamed = new Map<string, SessionSummary>()
  private readonly matches: ((text: string) => boolean) | undefined
  private readonly source: ByteSource

  constructor(options: ScanOptions, source: ByteSource) {
    this.source = source
    this.matches = options.grep === undefined ? undefined : matcherOf(options.grep)
  }

  async scan(session: SessionFiles): Promise<Scan> {
    const summary = new SessionSummary(session.id)
    const scan: Scan = { facts: summary.row(), summaries: [], findings: [] }
    let isMatch = false
    const see = (event: SessionEvent) => {
      summary.see(event)
      if (!isMatch && this.matches !== undefined) isMatch = eventMatches(event, this.matches)
    }
    await readAll(this.source, session, see, scan.findings)
    scan.facts = summary.row()
    if (!scan.facts.isTitleSure) Object.assign(scan.facts, await graphTitle(this.source, session, []))
    scan.summaries = summary.summaries()
    if (this.matches !== undefined) scan.isMatch = isMatch || this.matches(scan.facts.title)
    if (isUnnamed(scan.facts)) this.unnamed.set(session.id, summary)
    return scan
  }

  async retitle(session: SessionFiles, folder: readonly BranchSummary[]): Promise<Title> {
    const facts = this.unnamed.get(session.id)?.row(folder)
    if (facts === undefined || !facts.isTitleSure) return graphTitle(this.source, session, folder)
    return { title: facts.title, titleFrom: facts.titleFrom }
  }

  async close(): Promise<void> {
    this.unnamed.clear()
  }
}

async function readAll(
  source: ByteSource,
  session: SessionFiles,
  see: (event: SessionEvent) => void,
  findings: Finding[],
): Promise<void> {
  for (const log of session.logs) {
    const decoder = eventDecoder(log, { session: session.id })
    try {
      for await (const batch of recordBatches(source, log)) {
        for (const record of batch) {
          const event = decoder.decode(record)
          if (event) see(event)
        }
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      findings.push(readFinding(error))
    }
  }
}

/** What people and the model said; not what tools printed. */
function eventMatches(event: SessionEvent, matches: (text: string) => boolean): boolean {
  if (event.kind !== 'prompt' && event.kind !== 'answer') return false
  return event.blocks.some(block => block.type === 'text' && matches(block.text))
}

/** Which of several summaries names the active branch, only the graph knows. */
async function graphTitle(source: ByteSource, session: SessionFiles, folder: readonly BranchSummary[]): Promise<Title> {
  const { titleOf } = await import('../../graph/lineage/title.ts')
  const graph = await loadSession(source, session).catch(error => {
    if (error instanceof ReadError) return null
    throw error
  })
  return graph === null ? { title: session.id, titleFrom: 'id' } : titleOf(graph, folder)
}
