// What there is to look at: homes, how many sessions they have and how many of them will be deleted, and the latest ones. From
// the index; without one from the ends of files.

import { resolve } from 'node:path'
import { isBelow } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Finding } from '../../model/finding.ts'
import { bytesOf, isOnDisk, type SessionFiles } from '../../model/source.ts'
import type { Overview as PrintedOverview } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import type { Projects } from '../../session/projects.ts'
import { datedSession, latestRows } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { scopeOf } from '../scope.ts'
import { leftOutIn } from '../session/detail.ts'
import { ownRows } from './copied.ts'
import { discoverRoots, rootsFor } from './find.ts'
import { indexedRows } from './indexed-rows.ts'
import { contextOf } from './list.ts'
import { type ListContext, type ListRow, projectsOf, titledElsewhere, toSessionRow } from './rows.ts'

const latest = 10
const weekMs = 7 * 86_400_000

/** Sessions that Claude Code will delete within a week. */
interface Due {
  all: number
  /** In the archive. */
  archived: number
  /** Neither archived nor excluded from it: they will be lost. */
  atRisk: number
}

/** A Claude home, and how many sessions it has. */
interface Root {
  root: string
  sessions: number
}

interface Found {
  roots: Root[]
  isSample: boolean
  sessions: SessionFiles[]
  projects: Projects
  findings: Finding[]
  /** Includes the latest sessions. */
  rows: () => Promise<readonly ListRow[]>
}

export interface Overview {
  roots: readonly Root[]
  isSample: boolean
  sessions: readonly SessionFiles[]
  /** The latest sessions, the last first. */
  rows: readonly ListRow[]
  findings: readonly Finding[]
  due: Due
  /** Sessions that are only in the archive. */
  gone: number
  context: ListContext
}

export async function overviewOf(clew: Clew): Promise<Overview> {
  const found = (await fromIndex(clew)) ?? (await fromFiles(clew))
  const { isSample, sessions, projects } = found
  const context = await contextOf(clew, { projects, isSample }, Date.now())
  return {
    ...found,
    rows: [...(await found.rows())].sort(byLatest).slice(0, latest),
    due: await dueOf(sessions, context, clew),
    gone: sessions.filter(session => !isOnDisk(session)).length,
    context,
  }
}

async function fromFiles(clew: Clew): Promise<Found> {
  const { discoveries, isSample } = await discoverRoots(clew)
  const sessions = mergeDiscoveries(discoveries, clew.source)
  return {
    roots: rootsOf(
      discoveries.map(({ root }) => root),
      sessions,
    ),
    isSample,
    sessions,
    findings: discoveries.flatMap(discovery => discovery.findings),
    projects: projectsOf(sessions.map(session => datedSession(session, clew.source))),
    rows: () => ownRows(latestRows(sessions, clew.source, latest), sessions, clew),
  }
}

async function fromIndex(clew: Clew): Promise<Found | null> {
  const known = await indexedRows(clew)
  if (known === null) return null
  const { index, rows } = known
  const { roots, archived } = await rootsFor(clew)
  const sessions = rows.map(row => row.session)
  const places = index.isSample ? scopeOf(clew).roots : [...roots, ...archived]
  return {
    roots: rootsOf(places, sessions),
    isSample: index.isSample,
    sessions,
    findings: index.findings.filter(finding => finding.code.startsWith('unreadable')),
    projects: projectsOf(rows),
    rows: async () => rows,
  }
}

function rootsOf(roots: readonly string[], sessions: readonly SessionFiles[]): Root[] {
  return roots.map(root => ({
    root,
    sessions: sessions.filter(session => hasFilesIn(session, resolve(root))).length,
  }))
}

function hasFilesIn({ logs, side }: SessionFiles, root: string): boolean {
  return [...logs, ...side].some(({ path }) => isBelow(path, root))
}

async function dueOf(
  sessions: readonly SessionFiles[],
  { now, retention, isArchived }: ListContext,
  clew: Clew,
): Promise<Due> {
  const due = sessions.filter(session => (retention?.deletedOn(session) ?? Number.POSITIVE_INFINITY) < now + weekMs)
  const unarchived = due.filter(session => !isArchived(session))
  const isLeftOut = await leftOutIn(clew)
  const atRisk = unarchived.filter(session => !isLeftOut(session)).length
  return { all: due.length, archived: due.length - unarchived.length, atRisk }
}

/** The same with full rows: without an index, the latest sessions are read whole. */
export async function printedOverview(overview: Overview, clew: Clew): Promise<PrintedOverview> {
  const { rows } = overview
  const full = rows.every(row => row.facts !== undefined) ? rows : await readFull(rows, clew)
  const { usageOfSessions } = await import('../usage/sessions.ts')
  const usageOf = await usageOfSessions(clew)
  return {
    roots: overview.roots.map(({ root }) => root),
    isSample: overview.isSample,
    counts: {
      projects: overview.context.projects.size,
      sessions: overview.sessions.length,
      bytes: overview.sessions.reduce((sum, session) => sum + bytesOf(session), 0),
      deletedWithinWeek: overview.due.all,
      lostWithinWeek: overview.due.atRisk,
      gone: overview.gone,
    },
    sessions: full.flatMap(row =>
      row.facts ? [toSessionRow({ ...row, spent: usageOf(row.session.id) }, row.facts, overview.context)] : [],
    ),
  }
}

async function readFull(rows: readonly ListRow[], clew: Clew): Promise<ListRow[]> {
  const { fullRows } = await import('./full-rows.ts')
  const { copiedPartsFor } = await import('./copied.ts')
  const sessions = rows.map(row => row.session)
  const full = (await fullRows(sessions, { copied: await copiedPartsFor(sessions, clew) }, clew)).rows
  return full.map((row, at) => titledElsewhere(row, rows[at] as ListRow))
}
