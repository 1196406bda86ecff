// What the logs know: rows from the ends of files, or from all their records, read in the worker pool; usage from lines that
// state it. It opens no index.

import { toMillis } from '../../base/instant.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { TypedPrompt } from '../../index/search/prompts.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import type { Projects } from '../../session/projects.ts'
import { typedIn } from '../../session/scan/history-prompts.ts'
import { type QuickRow, quickRows } from '../../session/scan/quick-rows.ts'
import { rollUp } from '../../usage/cell.ts'
import type { Clew } from '../clew.ts'
import { scopeOf } from '../scope.ts'
import { type CopiedParts, copiedPartFor, copiedPartsIn, ownRows } from '../sessions/copied.ts'
import { type Filters, mayPass } from '../sessions/filters.ts'
import { discoverRoots } from '../sessions/find.ts'
import { byPlace, type ListRow, projectsOf, titledElsewhere } from '../sessions/rows.ts'
import type { KnownPrompts, KnownSessions, Knows, SessionsNeed } from './knows.ts'

export function fromLogs(clew: Clew): Knows {
  return {
    from: 'files',
    sessions: need => (clew.upkeep === undefined ? readSessions(need, clew) : quickSessions(need, clew)),
    graph: async session => loadSession(clew.source, session, { copied: await copiedPartFor(session, clew) }),
    async cells(query) {
      if (clew.upkeep !== undefined) return null
      const { messages, ...origin } = await scanned(clew, query.withTools, query.withEstimate === true)
      const own = query.only === undefined ? messages : messages.filter(({ session }) => session === query.only)
      return { ...origin, cells: rollUp(own, query) }
    },
    async messages() {
      return clew.upkeep === undefined ? scanned(clew, false, true) : null
    },
    async prompts() {
      return clew.upkeep === undefined ? readPrompts(clew) : null
    },
  }
}

async function scanned(clew: Clew, withTools: boolean, withEstimate: boolean) {
  const { scanUsage } = await import('../usage/scan.ts')
  return { ...(await scanUsage(clew, { withTools, withEstimate })), from: 'files' as const, isStale: false }
}

async function readPrompts(clew: Clew): Promise<KnownPrompts> {
  const { discoveries } = await discoverRoots(clew)
  const sessions = mergeDiscoveries(discoveries, clew.source)
  const total = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const progress = clew.listener.progress('reading', total)
  const copied = await copiedPartsIn(sessions, clew.source)
  const typed: TypedPrompt[] = []
  const findings = discoveries.flatMap(found => found.findings.filter(({ severity }) => severity === 'error'))
  try {
    for (const session of sessions) {
      const found = await typedIn(session, clew, copied.get(session.id), bytes => progress.add(bytes)).catch(error => {
        if (!(error instanceof ReadError)) throw error
        findings.push(readFinding(error))
        return []
      })
      for (const { event, text } of found) {
        typed.push({
          ...{ session: session.id, event: event.id, text },
          at: toMillis(event.at),
          cwd: event.cwd ?? null,
        })
      }
    }
  } finally {
    progress.end()
  }
  return { typed, histories: discoveries.flatMap(discovery => discovery.histories), findings }
}

/** Until there is a first index: nothing is counted. */
async function quickSessions({ only }: SessionsNeed, clew: Clew): Promise<KnownSessions> {
  const all = (await clew.upkeep?.quickRows()) ?? []
  return {
    rows: only === undefined ? all : all.filter(({ session }) => session.id === only),
    sessions: all.map(({ session }) => session),
    projects: projectsOf(all),
    findings: [],
    isSample: scopeOf(clew).isSample,
    isExact: false,
    partial: 'indexing',
  }
}

async function readSessions(need: SessionsNeed, clew: Clew): Promise<KnownSessions> {
  const { discoveries, isSample } = await discoverRoots(clew)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  const sessions = mergeDiscoveries(discoveries, clew.source)
  const { rows, projects } = await rowsOf(sessions.sort(byPlace), need, clew)
  return { rows, sessions, projects, findings, isSample, isExact: need.isFull }
}

/** Rows of those that are needed. Names of projects, and some titles, depend on all sessions. */
async function rowsOf(
  sessions: readonly SessionFiles[],
  { isFull, filters, only }: SessionsNeed,
  clew: Clew,
): Promise<{ rows: ListRow[]; projects: Projects }> {
  // Sessions that the ends of their files rule out are not read.
  const isNarrow =
    filters.project !== undefined || filters.since !== undefined || filters.is.includes('gone') || only !== undefined
  if (isFull && !isNarrow) {
    const rows = await readRows(sessions, filters, await copiedPartsIn(sessions, clew.source), clew)
    return { rows, projects: projectsOf(rows) }
  }
  const all = await ownRows(quickRows(sessions, clew.source), sessions, clew)
  const projects = projectsOf(all)
  const quick = only === undefined ? all : all.filter(({ session }) => session.id === only)
  if (!isFull) return { rows: quick, projects }
  const narrow = quick.filter(row => mayPass(row, filters, projects))
  const read = await readRows(
    narrow.map(row => row.session),
    filters,
    await copiedPartsIn(sessions, clew.source),
    clew,
  )
  return { rows: read.map((row, at) => titledElsewhere(row, narrow[at] as QuickRow)), projects }
}

async function readRows(
  sessions: readonly SessionFiles[],
  filters: Filters,
  copied: CopiedParts,
  clew: Clew,
): Promise<ListRow[]> {
  const { fullRows } = await import('../sessions/full-rows.ts')
  const bytes = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const progress = clew.listener.progress('reading', bytes)
  try {
    const options = { copied, ...(filters.grep !== undefined && { grep: filters.grep }) }
    const { rows, findings } = await fullRows(sessions, options, clew, done => progress.add(done))
    progress.end()
    for (const finding of findings) clew.listener.unread(finding)
    return rows
  } finally {
    progress.end()
  }
}
