// Rows of sessions from all their records, read in the worker pool: what `ls --long`, `--json` and `--grep` need without an
// index. Also finds the titles that summaries in other files of a folder give.

import { type OpenPlaces, type PlacesKey, placesKey, placesOf } from '../../archive/read/places.ts'
import { foldersOf, isUnnamed, summariesByFolder } from '../../disk/discover/folder-titles.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { CopyMarker } from '../../graph/lineage/own-part.ts'
import { textMatcher } from '../../grep/expression.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Finding } from '../../model/finding.ts'
import type { BranchSummary, CopiedPart } from '../../model/session.ts'
import { type ByteSource, bytesOf, type SessionFiles } from '../../model/source.ts'
import type { Title } from '../../model/title.ts'
import { eventDecoder, loadSession, recordBatches } from '../../session/load.ts'
import { SessionSummary, type SummaryRow } from '../../session/summary.ts'
import { type Task, WorkerPool } from '../../worker/pool.ts'
import { type ListRow, rowOfSummary } from './rows.ts'

export interface ScanOptions {
  /** Text or /regex/ to search for in prompts, answers and titles. */
  grep?: string
  /** What the sessions copied; without it, what their records say themselves. */
  copied?: ReadonlyMap<string, CopiedPart>
}

export interface Scan {
  facts: SummaryRow
  /** Titles of branches in its files, for other sessions of the folder. */
  summaries: BranchSummary[]
  /** Absent without `grep`. */
  isMatch?: boolean
  /** Files that could not be read. */
  findings: Finding[]
}

interface ScanArgs {
  key: PlacesKey
  session: SessionFiles
  options: Pick<ScanOptions, 'grep'>
  copied: CopiedPart | undefined
  /** Summaries of the folder that may give the session its title. */
  folder: readonly BranchSummary[]
}

export const scanTask: Task<ScanArgs, Scan> = {
  name: 'ls/scan',
  async run({ key, session, options, folder, copied }) {
    return scanSession(session, (await placesOf(key)).source, options, folder, copied)
  },
}

/** Less is read in this thread: starting others takes as long. */
const leastShared = 32 * 1024 * 1024

/** Rows in the order of the sessions. `onProgress` gets the bytes that were read. */
export async function fullRows(
  sessions: readonly SessionFiles[],
  { copied, ...options }: ScanOptions,
  { home }: Pick<OpenPlaces, 'home'>,
  onProgress: (bytes: number) => void = () => {},
): Promise<{ rows: ListRow[]; findings: Finding[] }> {
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const pool = new WorkerPool(bytes < leastShared ? { size: 0 } : {})
  const key = placesKey(home)
  const scans = new Map<SessionFiles, Scan>()
  const scanAll = async (some: readonly SessionFiles[], folderOf: (session: SessionFiles) => BranchSummary[]) => {
    // No large session is left for the end, when other threads have nothing to do.
    const sorted = [...some].sort((one, other) => bytesOf(other) - bytesOf(one))
    const args = sorted.map(session => ({
      ...{ key, options, session: { ...session, side: [] } },
      folder: folderOf(session),
      copied: copied?.get(session.id),
    }))
    let at = 0
    for await (const scan of pool.map(scanTask, args)) {
      const session = sorted[at++] as SessionFiles
      if (!scans.has(session)) onProgress(bytesOf(session))
      scans.set(session, scan)
    }
  }
  try {
    await scanAll(sessions, () => [])
    const summaries = summariesByFolder(
      [...scans].map(([session, scan]) => ({
        id: session.id,
        folders: foldersOf(session),
        summaries: scan.summaries,
      })),
    )
    const folderOf = (session: SessionFiles) => foldersOf(session).flatMap(path => summaries.get(path) ?? [])
    const untitled = sessions.filter(session => isUnnamed(scanOf(session).facts) && folderOf(session).length > 0)
    await scanAll(untitled, folderOf)
  } finally {
    await pool.close()
  }
  function scanOf(session: SessionFiles): Scan {
    return scans.get(session) as Scan
  }
  return {
    rows: sessions.map(session => {
      const { facts, isMatch } = scanOf(session)
      return { ...rowOfSummary(session, facts), ...(isMatch === undefined ? {} : { isMatch }) }
    }),
    findings: sessions.flatMap(session => scanOf(session).findings),
  }
}

/** Reads one session. `folder`: summaries of its folder. */
export async function scanSession(
  session: SessionFiles,
  source: ByteSource,
  { grep }: Pick<ScanOptions, 'grep'> = {},
  folder: readonly BranchSummary[] = [],
  copied?: CopiedPart,
): Promise<Scan> {
  const marker = new CopyMarker(session.id, copied)
  const logged = new Set(session.logs.flatMap(({ nameAgent }) => nameAgent ?? []))
  const summary = new SessionSummary(session.id, logged)
  const matches = grep === undefined ? undefined : textMatcher(grep)
  const findings: Finding[] = []
  let isMatch = false
  for (const log of session.logs) {
    const decoder = eventDecoder(log, { session: session.id })
    try {
      for await (const batch of recordBatches(source, log)) {
        for (const record of batch) {
          for (const event of decoder.decode(record)) {
            marker.mark(event)
            summary.see(event)
            if (!isMatch && matches !== undefined) isMatch = eventMatches(event, matches)
          }
        }
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      findings.push(readFinding(error))
    }
  }
  const facts = summary.row(folder)
  if (!facts.isTitleSure) Object.assign(facts, await graphTitle(source, session, folder, copied))
  const scan: Scan = { facts, summaries: summary.othersSummaries(), findings }
  return matches === undefined ? scan : { ...scan, isMatch: isMatch || matches(facts.title) }
}

/** Text that people and the model wrote; not what tools printed. */
function eventMatches(event: SessionEvent, matches: (text: string) => boolean): boolean {
  if (event.kind !== 'prompt' && event.kind !== 'answer') return false
  return event.blocks.some(block => block.type === 'text' && matches(block.text))
}

/** Only the graph shows which of several summaries is that of the active branch. */
async function graphTitle(
  source: ByteSource,
  session: SessionFiles,
  folder: readonly BranchSummary[],
  copied: CopiedPart | undefined,
): Promise<Title> {
  const { titleOf } = await import('../../graph/lineage/title.ts')
  const graph = await loadSession(source, session, { copied }).catch(error => {
    if (error instanceof ReadError) return null
    throw error
  })
  return graph === null ? { title: session.id, titleFrom: 'id' } : titleOf(graph, folder)
}
