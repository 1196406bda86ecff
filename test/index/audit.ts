// Reads every log again, independently of the index, and compares: each live file and each archived generation has its rows once,
// event by event. It repairs nothing and knows nothing of how the index comes about.

import { readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Generation } from '../../src/archive/format/catalog.ts'
import { archivedGeneration } from '../../src/archive/read/source.ts'
import type { Archive } from '../../src/archive/store/archive.ts'
import type { PlacedSession } from '../../src/disk/discover/merge.ts'
import { isLogName } from '../../src/disk/discover/project.ts'
import { canonicalPlace, placeOf } from '../../src/files/place.ts'
import { kindToNumber } from '../../src/index/ingest/rows.ts'
import type { Database } from '../../src/index/store/port.ts'
import { eventsPerFile } from '../../src/index/store/schema.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import type { ByteSource, Discovery, GenerationId, LogFile } from '../../src/model/source.ts'
import { loadSession, readEvents } from '../../src/session/load.ts'

export interface Audited {
  db: Database
  source: ByteSource
  sessions: readonly PlacedSession[]
  discoveries: readonly Discovery[]
  archive?: Archive
}

interface FileRow {
  id: number
  generation: string
  path: string
  standing: number
  covered: number
  events: number
}

export async function audit(audited: Audited): Promise<string[]> {
  const problems: string[] = []
  const rows = fileRows(audited.db)
  const expected = new Set<string>()
  for (const log of liveLogs(audited)) expected.add(await auditLive(audited, log, rows, problems))
  for (const generation of archivedLogs(audited.archive))
    await auditArchived(audited, generation, rows, expected, problems)
  for (const { generation, path } of rows.values()) {
    if (!expected.has(generation)) problems.push(`${generation} (${path}) is in the index and nowhere else`)
  }
  auditStored(audited, problems)
  await auditSessions(audited, problems)
  return problems
}

/** Spilled output: each file on disk has its text, and what is said to be on disk is there. */
function auditStored(audited: Audited, problems: string[]): void {
  const { db, sessions } = audited
  const spills = sessions.flatMap(({ side }) => side.filter(({ kind }) => kind === 'tool-result'))
  const live = new Map(spills.filter(file => !file.isArchiveOnly).map(file => [indexedPlace(audited, file), file.size]))
  const sql = 'SELECT path, covered FROM file WHERE stored IS NOT NULL AND standing = 0'
  const rows = new Map(db.prepare(sql).all() as [string, number][])
  for (const [path, size] of live) {
    if (rows.get(path) !== size) problems.push(`${path} has ${rows.get(path)} indexed bytes of ${size}`)
  }
  for (const path of rows.keys()) if (!live.has(path)) problems.push(`${path} is not on disk`)
}

function fileRows(db: Database): Map<string, FileRow> {
  const rows = new Map<string, FileRow>()
  for (const cells of db
    .prepare('SELECT id, generation, path, standing, covered, events + tail FROM file WHERE stored IS NULL')
    .all()) {
    const [id, generation, path, standing, covered, events] = cells as [number, string, string, number, number, number]
    rows.set(generation, { id, generation, path, standing, covered, events })
  }
  return rows
}

/** Logs on disk, each file once however it is reached. */
function liveLogs({ sessions, discoveries }: Audited): LogFile[] {
  const logs = sessions.flatMap(session => [...session.logs, ...session.twins])
  for (const { histories, strays } of discoveries) logs.push(...histories, ...strays)
  const live = logs.filter(log => log.isArchiveOnly !== true)
  return [...new Map(live.map(log => [canonicalPlace(log.path), log])).values()]
}

/** A file of a home by where it is, one elsewhere by the name that a link gives it in the home. */
function indexedPlace({ discoveries }: Audited, { path }: Pick<LogFile, 'path'>): string {
  const place = canonicalPlace(path)
  const roots = discoveries.map(({ root }) => root)
  if (roots.some(root => place.startsWith(canonicalPlace(root) + sep))) return place
  const root = roots.find(one => path.startsWith(one + sep))
  return root === undefined ? place : join(canonicalPlace(root), relative(root, path))
}

function archivedLogs(archive: Archive | undefined): Generation[] {
  if (archive === undefined) return []
  const { catalog } = archive.manifest
  return [...catalog.generations.values()].filter(
    ({ id, path }) => isLogName(path) && !path.includes('/tool-results/') && !catalog.broken.has(id),
  )
}

/** Its one row has all of its events. */
async function auditLive(
  audited: Audited,
  log: LogFile,
  rows: Map<string, FileRow>,
  problems: string[],
): Promise<string> {
  const place = indexedPlace(audited, log)
  const found = [...rows.values()].filter(row => row.path === place && row.standing === 0)
  const [row] = found
  if (row === undefined || found.length > 1) {
    problems.push(`${place} has ${found.length} rows as a live file`)
    return ''
  }
  const { size } = statSync(place)
  if (row.covered !== size) problems.push(`${place}: ${row.covered} of ${size} bytes are covered`)
  await auditEvents(audited, row, log, problems)
  return row.generation
}

async function auditArchived(
  audited: Audited,
  generation: Generation,
  rows: Map<string, FileRow>,
  expected: Set<string>,
  problems: string[],
): Promise<void> {
  const id = archivedGeneration(generation.id)
  const row = rows.get(id)
  if (row === undefined) {
    if (!isContinued(audited.source, generation))
      problems.push(`${id} (${placeOf(generation)}) is archived and not indexed`)
    return
  }
  expected.add(id)
  if (row.covered !== generation.size) problems.push(`${id}: ${row.covered} of ${generation.size} bytes are covered`)
  const log: LogFile = { path: row.path, role: 'session', generation: id, size: generation.size, modifiedMs: 0 }
  await auditEvents(audited, row, log, problems)
}

/** Where the live file continues from what was archived of it, its own rows show both. */
function isContinued(source: ByteSource, generation: Generation): boolean {
  const archived = source.readSync(archivedGeneration(generation.id) as GenerationId, 0, generation.size)
  try {
    return readFileSync(placeOf(generation)).subarray(0, archived.length).equals(archived)
  } catch {
    return false
  }
}

async function auditEvents({ db, source }: Audited, row: FileRow, log: LogFile, problems: string[]): Promise<void> {
  const sql = 'SELECT offset, bytes, line, kind, uuid FROM event WHERE id >= ? AND id < ? ORDER BY id'
  const indexed = db.prepare(sql).all([row.id * eventsPerFile, (row.id + 1) * eventsPerFile])
  if (indexed.length !== row.events)
    problems.push(`${row.generation}: ${indexed.length} rows, but ${row.events} are counted`)
  let at = 0
  for await (const event of readEvents(source, log)) {
    const cells = indexed[at++]
    const uuid = event.stated.uuid === undefined ? null : event.id
    const { offset, bytes, line } = event.source
    // What a file's place says of its kind is judged with the sessions.
    const expected = JSON.stringify([offset, bytes, line, uuid])
    const found = JSON.stringify(cells === undefined ? null : [...cells.slice(0, 3), cells[4]])
    if (found !== expected) problems.push(`${row.generation} event ${at}: ${found} instead of ${expected}`)
    if (found !== expected) return
  }
  if (indexed.length > at) problems.push(`${row.generation}: ${indexed.length} rows for ${at} events`)
}

/** Every session is there, with every event of every log as loading it gives. */
async function auditSessions({ db, source, sessions }: Audited, problems: string[]): Promise<void> {
  const ids = db
    .prepare('SELECT id FROM session ORDER BY id')
    .all()
    .map(([id]) => String(id))
  const expected = sessions.map(({ id }) => id as string).sort()
  if (JSON.stringify(ids) !== JSON.stringify(expected)) problems.push(`sessions ${ids} instead of ${expected}`)
  for (const session of sessions) {
    const logs = new Map<LogFile, SessionEvent[]>(session.logs.map(log => [log, []]))
    await loadSession(source, session, {}, (log, _record, events) => logs.get(log)?.push(...events))
    for (const [n, log] of session.logs.entries()) auditLog(db, session.id, n, logs.get(log) ?? [], problems)
  }
}

function auditLog(db: Database, session: string, n: number, events: readonly SessionEvent[], problems: string[]): void {
  const sql = `SELECT kind, uuid FROM event WHERE id / ${eventsPerFile} =
    (SELECT file.id FROM session_log JOIN file USING (generation) WHERE session_log.session = ? AND n = ?) ORDER BY id`
  const indexed = db.prepare(sql).all([session, n])
  const expected = events.map(event => [kindToNumber(event.kind), event.stated.uuid === undefined ? null : event.id])
  if (JSON.stringify(indexed) !== JSON.stringify(expected)) {
    problems.push(`session ${session}, log ${n}: ${indexed.length} events instead of ${expected.length}, or others`)
  }
}
