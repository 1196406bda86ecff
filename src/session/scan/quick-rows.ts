// Rows of sessions from the ends of their files alone, for lists without an index: title, project, branch, times. It does
// not see what is only in the middle of a file.

import { dirname } from 'node:path'
import { bytesToText } from '../../base/bytes.ts'
import { type Instant, toInstant } from '../../base/instant.ts'
import { asString, type JsonObject } from '../../base/json.ts'
import { EventDecoder, RecordDecoder } from '../../decode/decode.ts'
import { type FileEnds, withEnds } from '../../disk/read/ends.ts'
import { chainTypes, type SessionEvent } from '../../model/event.ts'
import type { LogRecord } from '../../model/record.ts'
import type { TitleSource } from '../../model/session.ts'
import {
  type ByteSource,
  bytesOf,
  type LogFile,
  lastChange,
  mainLogs,
  type SessionFiles,
  type SetAside,
  setAsideOf,
} from '../../model/source.ts'
import {
  chooseTitle,
  namedTitle,
  noteFirstPrompt,
  noteFirstTask,
  noteTitle,
  type TitleFallbacks,
  type TitleState,
} from '../../model/title.ts'
import { byLatest } from '../latest.ts'

/** The kinds of lines that name a session, the strongest first. */
const namingTypes: readonly string[] = ['custom-title', 'ai-title', 'agent-name', 'last-prompt']
const titleTypes: readonly string[] = [...namingTypes, 'summary']

/** What the ends of its files say about a session. */
export interface QuickRow {
  session: SessionFiles
  title: string
  titleFrom: TitleSource
  /** The record that another file's summary names, by which it gives the title. */
  titleLeaf?: string
  cwd: string | null
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  bytes: number
  /** Last change of its main files. */
  modifiedMs: number
  tag?: string
  setAside?: SetAside
}

/** The rows, in the order of the sessions. */
export function quickRows(sessions: readonly SessionFiles[], source: ByteSource): QuickRow[] {
  const folders = new FolderSummaries()
  const rows = sessions.map(session => quickRow(session, source, folders))
  if (!folders.isEmpty) for (const row of rows) retitle(row, source, folders)
  return rows
}

/** How many sessions are looked at together. */
const batch = 200

/**
 * The rows of the latest sessions, at most `count`, the latest first. No record is later than the last change of its file:
 * files that changed before are not opened.
 */
export function latestRows(sessions: readonly SessionFiles[], source: ByteSource, count: number): QuickRow[] {
  const byChange = sessions.map(session => ({ session, changedMs: lastChangeOfAny(session) }))
  byChange.sort((one, other) => other.changedMs - one.changedMs)
  // A summary is written later than the leaf that it names: its file is not below those that are opened.
  const folders = new FolderSummaries()
  let rows: QuickRow[] = []
  for (let at = 0; at < byChange.length; at += batch) {
    const last = rows[count - 1]?.endedAt ?? null
    if (last !== null && Date.parse(last) > (byChange[at]?.changedMs ?? 0)) break
    const more = byChange.slice(at, at + batch).map(({ session }) => quickRow(session, source, folders))
    rows = [...rows, ...more].sort(byLatest).slice(0, count)
  }
  if (!folders.isEmpty) for (const row of rows) retitle(row, source, folders)
  return rows
}

function lastChangeOfAny({ logs }: SessionFiles): number {
  return logs.reduce((last, log) => Math.max(last, log.modifiedMs), 0)
}

/** A session with its place and times, as its row has them: what orders and names many, at less than the cost of their rows. */
export type DatedSession = Pick<QuickRow, 'session' | 'cwd' | 'endedAt'>

/** Reads only the place and the times. */
export function datedSession(session: SessionFiles, source: ByteSource): DatedSession {
  const row: Times = { session, cwd: null, startedAt: null, endedAt: null }
  for (const log of mainLogs(session)) {
    withEnds(log, source, ends => {
      row.cwd ??= ends.firstOwnField('cwd') ?? null
      addTime(row, toInstant(ends.lastTime()))
      // Of a small file that was the latest of all its times.
      if (!ends.isWhole) addTime(row, toInstant(ends.firstOwnTime()))
    })
  }
  addAgents(row, source)
  return row
}

/** Titles of sessions; none where only the id names one. */
export function titlesOf(rows: readonly QuickRow[]): Map<SessionFiles, string> {
  return new Map(rows.filter(row => row.titleFrom !== 'id').map(row => [row.session, row.title]))
}

/** Summaries name leaves of other sessions of their folder: they are kept until all its files were looked at. */
class FolderSummaries {
  private readonly byFolder = new Map<string, Map<string, string>>()

  add(path: string, record: JsonObject): void {
    const title = asString(record['summary'])
    const leaf = asString(record['leafUuid'])
    if (!title || leaf === undefined) return
    const folder = dirname(path)
    const summaries = this.byFolder.get(folder)
    if (summaries) summaries.set(leaf, title)
    else this.byFolder.set(folder, new Map([[leaf, title]]))
  }

  get isEmpty(): boolean {
    return this.byFolder.size === 0
  }

  of(path: string): ReadonlyMap<string, string> | undefined {
    return this.byFolder.get(dirname(path))
  }
}

/** What is known of a session before its files are read. */
export function unreadRow(session: SessionFiles): QuickRow {
  return {
    session,
    title: session.id,
    titleFrom: 'id',
    cwd: null,
    startedAt: null,
    endedAt: null,
    bytes: bytesOf(session),
    modifiedMs: lastChange(session),
  }
}

function quickRow(session: SessionFiles, source: ByteSource, folders: FolderSummaries): QuickRow {
  const row = unreadRow(session)
  const titles: TitleState = {}
  const fallbacks: TitleFallbacks = {}
  for (const log of mainLogs(session)) {
    withEnds(log, source, ends => {
      addPlace(row, ends)
      addTag(row, ends)
      if (log.role === 'session') Object.assign(titles, titlesIn(ends, log, folders))
      if (fallbacks.firstPrompt === undefined && namedTitle(titles) === undefined) {
        seeFirstPrompt(fallbacks, ends, session, log)
      }
    })
  }
  addAgents(row, source)
  Object.assign(row, chooseTitle(session.id, titles, fallbacks))
  // The ends do not show who wrote last: any later record is taken for one of a prompt.
  const setAside = setAsideOf(session, row.endedAt)
  if (setAside !== undefined) row.setAside = setAside
  return row
}

/** Of all `tag` lines the last counts; an empty one takes the tag off. */
function addTag(row: QuickRow, ends: FileEnds): void {
  const types = new Set(['tag'])
  const visit = (record: JsonObject) => {
    const tag = types.has('tag') ? asString(record['tag']) : undefined
    if (tag === undefined) return
    types.clear()
    if (tag === '') delete row.tag
    else row.tag = tag
  }
  ends.tailRecords(types, visit)
  ends.headRecords(types, visit)
}

/** Files come in reading order: the first cwd, the last branch, the whole span of times. */
function addPlace(row: QuickRow, ends: FileEnds): void {
  row.cwd ??= ends.firstOwnField('cwd') ?? null
  const gitBranch = ends.lastField('gitBranch')
  if (gitBranch) row.gitBranch = gitBranch
  for (const at of [toInstant(ends.firstOwnTime()), toInstant(ends.lastTime())]) addTime(row, at)
}

type Times = Pick<QuickRow, 'session' | 'cwd' | 'startedAt' | 'endedAt'>

function addTime(row: Times, at: Instant): void {
  if (at === null) return
  if (row.startedAt === null || at < row.startedAt) row.startedAt = at
  if (row.endedAt === null || at > row.endedAt) row.endedAt = at
}

/** A subagent may outlast the main thread. Where there is no main file, its files name the place too. */
function addAgents(row: Times, source: ByteSource): void {
  const mains = new Set(mainLogs(row.session))
  for (const log of row.session.logs) {
    if (mains.has(log) || log.role === 'journal') continue
    if (row.endedAt !== null && log.modifiedMs < Date.parse(row.endedAt)) continue
    withEnds(log, source, ends => {
      row.cwd ??= ends.firstOwnField('cwd') ?? null
      if (row.startedAt === null) addTime(row, toInstant(ends.firstOwnTime()))
      addTime(row, toInstant(ends.lastTime()))
    })
  }
}

// Last-wins lines need nothing of what is before them: one decoder serves all files.
const decoder = new EventDecoder({ session: 'any' })

/** Of each kind of line the last one counts, and none below a kind that was found. */
function titlesIn(ends: FileEnds, log: LogFile, folders: FolderSummaries): TitleState {
  const titles: TitleState = {}
  const wanted = new Set(titleTypes)
  const summaries: JsonObject[] = []
  const visit = (record: JsonObject) => {
    const type = asString(record['type']) ?? ''
    if (type === 'summary') summaries.push(record)
    else if (takeTitle(titles, type, record)) forget(wanted, type)
  }
  ends.tailRecords(wanted, visit)
  // A title that the tail has is newer than any in the head, where summaries of other sessions may be all the same.
  if (namedTitle(titles) === undefined) ends.wholeHead()
  ends.headRecords(wanted, visit)
  // They came last first, and the last one of a leaf counts.
  for (const record of summaries.reverse()) folders.add(log.path, record)
  return titles
}

function forget(wanted: Set<string>, type: string): void {
  const rank = namingTypes.indexOf(type)
  for (const lower of namingTypes.slice(rank)) wanted.delete(lower)
}

/** Whether the line names the session. */
function takeTitle(titles: TitleState, type: string, value: JsonObject): boolean {
  const record: LogRecord = { file: '', line: 1, offset: 0, bytes: 0, dialect: 'client', type, status: 'known', value }
  const [event] = decoder.decode(record)
  if (event === undefined) return false
  const before = Object.keys(titles).length
  noteTitle(titles, event)
  return Object.keys(titles).length > before
}

/** Decodes the head line by line until a human speaks. */
function seeFirstPrompt(fallbacks: TitleFallbacks, ends: FileEnds, session: SessionFiles, log: LogFile): void {
  const records = new RecordDecoder(log.path)
  const events = new EventDecoder({ session: session.id, role: log.role })
  const see = ([event]: readonly SessionEvent[]) => {
    if (event === undefined) return
    if (event.thread === (session.id as string)) noteFirstPrompt(fallbacks, event)
    else noteFirstTask(fallbacks, event)
  }
  let from = 0
  for (let head = ends.firstBytes(); fallbacks.firstPrompt === undefined; ) {
    const end = head.indexOf(0x0a, from)
    if (end < 0) {
      if (ends.isHeadWhole) break
      head = ends.wholeHead()
      continue
    }
    // The bytes lie in a place that the next file uses again: a line is decoded before that.
    if (maySpeak(head, from, end)) {
      for (const record of records.push(head.subarray(from, end + 1))) see(events.decode(record))
    }
    from = end + 1
  }
}

const typeFirst = '{"type":"'

/** Whether a line may be one of the conversation; the others begin with their type, and many sessions with them. */
function maySpeak(head: Uint8Array, from: number, end: number): boolean {
  const start = bytesToText(head.subarray(from, Math.min(end, from + 48)))
  if (!start.startsWith(typeFirst)) return true
  return chainTypes.has(start.slice(typeFirst.length, start.indexOf('"', typeFirst.length)))
}

/** A session that no line names may be named by a summary in another file of its folder. */
function retitle(row: QuickRow, source: ByteSource, folders: FolderSummaries): void {
  if (row.titleFrom !== 'first-prompt' && row.titleFrom !== 'id') return
  for (const log of mainLogs(row.session)) {
    const summaries = folders.of(log.path)
    if (summaries === undefined) continue
    // Of several, the one whose leaf was written last: its branch is most likely the active one.
    for (const uuid of withEnds(log, source, ends => ends.tailUuids()) ?? []) {
      const title = summaries.get(uuid)
      if (title !== undefined) Object.assign(row, { title, titleFrom: 'summary', titleLeaf: uuid })
    }
  }
}
