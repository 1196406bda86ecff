// The usual case of a refresh: nothing happened but that logs which are known grew at their ends. Then the sessions are those
// of the last time, and neither folders nor other logs have to be looked into. Whatever is not sure to be that case is not.

import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { stateText } from '../../archive/capture/seen.ts'
import type { LiveFile } from '../../archive/capture/survey.ts'
import { keptGeneration } from '../../archive/read/source.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { isLogName, roleOf, stemOf } from '../../disk/discover/project.ts'
import { diskTree, type FoundFile } from '../../disk/discover/tree.ts'
import { glance, planNames } from '../../disk/read/peek.ts'
import type { FileRole, LogFile, SessionFiles } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import type { LedgerFile } from './ledger.ts'
import type { RefreshOptions, TimedSurvey } from './refresh-options.ts'
import { Columns } from './thin-rows.ts'

/** What grew: files to read on, their sessions as they are now, and which generation stands for each of their logs. */
export interface Grown {
  files: LedgerFile[]
  sessions: PlacedSession[]
  byLog: Map<string, string>
}

/** All that the last refresh went by, but for how long logs are: another text means that more than that changed. */
export function sceneOf(options: RefreshOptions, surveyed: TimedSurvey, segment: string): string {
  const { roots, isScoped, keepRoots, exclude = [] } = options
  let files = scenes.get(surveyed)
  if (files === undefined) {
    files = sceneText(surveyed)
    scenes.set(surveyed, files)
  }
  return hashOf(JSON.stringify([roots, isScoped, keepRoots, exclude, segment, files]))
}

/** The files are the same before and after they are kept. */
const scenes = new WeakMap<TimedSurvey, string>()

function sceneText({ files }: TimedSurvey): string {
  const lines: string[] = []
  for (const { place, path, state } of files) lines.push(place, isGrowing(path) ? state.identity : stateText(state))
  return hashOf(lines.join('\n'))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isGrowing(path: string): boolean {
  return isLogName(path) && !path.includes('/tool-results/')
}

interface KnownFile {
  generation: string
  place: string
  role: FileRole
  session: string | null
  nameSession: string | null
  agent: string | null
  size: number
}

/** Null where more than that happened, or may have. Everything is kept by now. */
export async function grownSince(db: Database, surveyed: TimedSurvey, archive: Archive): Promise<Grown | null> {
  // A link leads to files that nobody looked at.
  if (surveyed.findings.length > 0) return null
  const known = knownSizes(db)
  const grown: Grown = { files: [], sessions: [], byLog: new Map() }
  const sessions = new Set<string>()
  for (const live of surveyed.files) {
    if (!isGrowing(live.path)) continue
    const seen = known.get(live.place)
    if (seen === undefined) return null
    if (seen.size === live.state.size && seen.modified === Math.trunc(live.state.mtimeMs)) continue
    // There is nothing to read on, but what is said of its session names its time.
    if (seen.size === live.state.size) return null
    const [file] = knownFiles(db, 'path', live.place)
    if (file === undefined) return null
    const grew = grownFile(live, file, archive)
    if (grew === null) return null
    grown.files.push(grew)
    if (file.session !== null) sessions.add(file.session)
    else if (file.role !== 'history') return null
  }
  for (const id of sessions) {
    const session = await sessionNow(db, id, surveyed, grown.byLog)
    if (session === null) return null
    grown.sessions.push(session)
  }
  return grown
}

/** How long files were when they were indexed, and when they had changed last. */
function knownSizes(db: Database): Map<string, { size: number; modified: number }> {
  const known = new Map<string, { size: number; modified: number }>()
  const [places, sizes, times] = new Columns(db).read(sizesSql, []) as [string[], number[], number[]]
  places.forEach((place, at) => {
    known.set(place, { size: sizes[at] as number, modified: times[at] as number })
  })
  return known
}

const sizesSql = `SELECT json_group_array(path), json_group_array(size), json_group_array(modified)
  FROM file WHERE standing = 0`

function knownFiles(db: Database, where: 'path' | 'session', value: string): KnownFile[] {
  const sql = `SELECT generation, path, role, session, name_session, agent, size FROM file WHERE ${where} = ? AND standing = 0`
  return db
    .prepare(sql)
    .all([value])
    .map(([generation, place, role, session, nameSession, agent, size]) => {
      return { generation, place, role, session, nameSession, agent, size } as unknown as KnownFile
    })
}

/** Null where the file holds more than what was kept of it before and some more behind that. */
function grownFile(live: LiveFile, file: KnownFile, archive: Archive): LedgerFile | null {
  const { catalog } = archive.manifest
  const kept = catalog.current(live.home, live.path)
  if (kept === undefined || catalog.broken.has(kept.id)) return null
  const generation = keptGeneration(kept.id)
  if (generation !== file.generation || kept.size < file.size || kept.size !== live.state.size) return null
  const ids = kept.frames
  return {
    generation,
    source: generation,
    path: live.place,
    number: kept.number,
    standing: 0,
    role: file.role,
    ...(file.session !== null && { session: file.session }),
    ...(file.nameSession !== null && { nameSession: file.nameSession }),
    ...(file.agent !== null && { agent: file.agent }),
    size: kept.size,
    modifiedMs: Math.trunc(live.state.mtimeMs),
    frames: { ids, lengths: ids.map(id => catalog.frames.get(id)?.bytes ?? 0) },
  }
}

/** The session with its logs as they are now; null where discovery might tell something else of it than the last time. */
async function sessionNow(
  db: Database,
  id: string,
  surveyed: TimedSurvey,
  byLog: Map<string, string>,
): Promise<PlacedSession | null> {
  const json = db.prepare('SELECT files FROM session WHERE id = ?').get([id])?.[0]
  if (typeof json !== 'string') return null
  const session = JSON.parse(json) as SessionFiles
  if (session.logs.filter(({ role }) => role === 'session').length !== 1) return null
  const own = new Map(knownFiles(db, 'session', id).map(file => [file.place, file]))
  const places = session.logs.map(log => placeOf(log, own))
  // A copy elsewhere may by now be shorter than what it was a copy of.
  if (places.some(file => file === undefined) || own.size !== places.length) return null
  for (const [n, log] of session.logs.entries()) {
    const file = places[n] as KnownFile
    const found = diskTree.stat(log.path)
    if (found.kind !== 'file' || found.generation !== log.generation) return null
    byLog.set(log.generation, file.generation)
    if (found.size === log.size && found.modifiedMs === log.modifiedMs) continue
    log.size = found.size
    log.modifiedMs = found.modifiedMs
    if (!(await isStillOf(log, session, surveyed))) return null
  }
  return { ...session, twins: [] }
}

function placeOf(log: LogFile, known: ReadonlyMap<string, KnownFile>): KnownFile | undefined {
  if (log.isKept === true) return undefined
  return known.get(log.path) ?? known.get(canonicalPlace(log.path))
}

/** Whether what discovery looks for at the ends of a log still says what it said. */
async function isStillOf(log: LogFile, session: SessionFiles, surveyed: TimedSurvey): Promise<boolean> {
  const name = basename(log.path)
  // Where its folder says whose agent it is, nobody looks into the file.
  if (roleOf(name) !== 'session' && log.nameSession !== undefined) return true
  const isMain = log.role === 'session'
  const file: FoundFile = { path: log.path, size: log.size, modifiedMs: log.modifiedMs, generation: log.generation }
  const seen = await glance(file, diskTree.source, isMain ? stemOf(name) : undefined)
  if (seen.isHistory || (seen.session ?? (isMain ? stemOf(name) : undefined)) !== (session.id as string)) return false
  return !isMain || hasItsPlans(file, session, surveyed)
}

/** A log that names a plan for the first time gets it. */
function hasItsPlans(file: FoundFile, session: SessionFiles, surveyed: TimedSurvey): boolean {
  const plans = surveyed.files.filter(({ path }) => path.startsWith('plans/'))
  if (plans.length === 0) return true
  const named = planNames(file, diskTree.source)
  const wanted = plans.filter(({ path }) => named.has(slugOf(path))).map(({ path }) => basename(path))
  const had = session.side.filter(({ kind }) => kind === 'plan').map(({ path }) => basename(path))
  return wanted.length === had.length && wanted.every(plan => had.includes(plan))
}

function slugOf(path: string): string {
  return basename(path).replace(/\.md$/i, '').split('-agent-', 1)[0] ?? ''
}
