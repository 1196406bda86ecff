// What a status line asks for, up to date: what all sessions used in the last day and in the active block. It remembers what
// it read, looks through all folders only now and then, and never reads a log that is older than it needs.
//
//      blockFrom: a block begins          no time zone's today began before: needed      now
//   ────────┴───────────────────────────────────────────┴──────────────────────────────────┤

import { realpathSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { textHash } from '../../base/text-hash.ts'
import { stemOf } from '../../disk/discover/project.ts'
import { echoRanks, type UsageCell, type UsageMessage, type UsageOccurrence } from '../../model/spent.ts'
import { type ReadOptions, StatusLedger } from './statusline-read.ts'
import { type ReadFile, readState, type StatusState, tidyStates, writeState } from './statusline-state.ts'
import { type LogLook, lookAt, lookAtAll, lookAtSession } from './statusline-walk.ts'

export interface WindowOptions extends ReadOptions {
  /** Claude homes. */
  roots: readonly string[]
  /** The log of the session that asks. */
  transcript?: string | undefined
  /** Its id. */
  session?: string | undefined
  /** Whether the messages of that session are asked for one by one. */
  needsOwn?: boolean
  /** Prompt sizes at which a price changes. */
  steps: readonly number[]
  /** Where states are kept. */
  folder: string
  nowMs: number
}

export interface StatusWindow {
  /** Sums without session and thread. */
  cells: readonly UsageCell[]
  /** Messages of the main thread of the session that asks, where these are asked for. */
  own: UsageMessage[]
  /** Blocks can be told from here on. */
  blockFrom: number
  /** Not everything was read, so there may be more. */
  isBehind: boolean
}

const hourMs = 3_600_000
const blockMs = 5 * hourMs
/** A day may have 25 hours. */
const neededMs = 26 * hourMs
/** Without a pause of five hours, blocks are told from the first message of so many days. */
const longestMs = 8 * 24 * hourMs
const stepMs = 24 * hourMs
/** Records of one message come within minutes: what is older than needed by this much has no more to come. */
const slackMs = hourMs
/** How long a log's place is remembered after its last change. */
const keptMs = 30 * 24 * hourMs
/** Folders are looked through this often, or less often where that takes long. */
const walkEveryMs = 30_000
const walkShare = 20
/** Logs that changed within this time are looked at on each call. */
const recentMs = hourMs
const mostRecent = 64
/** What nobody can ask for is dropped this often, since it takes a look at every message. */
const pruneEveryMs = hourMs
const nameSeed = 11

/** All that was used since the beginning of today, anywhere, and in the active block. */
export function currentWindow(options: WindowOptions): StatusWindow {
  const { roots, nowMs, folder } = options
  const name = `all-${textHash(roots.map(root => resolve(root)).join('\n'), nameSeed).toString(36)}`
  const { files, far, rows, sums, ...next } = readState(folder, name)
  const ledger = new StatusLedger({ files, far, rows, sums, ...next }, options.steps)
  const isWalk = isWalkDue(next, nowMs)
  if (isWalk) walk(ledger, next, options)
  else for (const look of nearLooks(files, options)) ledger.update(look, options)
  if (isWalk || ledger.hasChanged) tidy(ledger, next, options)
  const window = {
    cells: ledger.cells(),
    own: mainThread(ledger, options),
    blockFrom: next.blockFrom ?? nowMs - neededMs,
    isBehind: ledger.isBehind,
  }
  if (isWalk || ledger.hasChanged) writeState(folder, name, { ...next, ...ledger.remembered(nowMs - recentMs) })
  return window
}

/** Moves to where blocks can be told from now on, and drops what nobody can ask for any more. */
function tidy(ledger: StatusLedger, next: Progress, { nowMs, folder }: WindowOptions): void {
  next.isBehind = ledger.isBehind
  if (ledger.isBehind) {
    ledger.prune(nowMs - longestMs - slackMs, nowMs - keptMs)
    return
  }
  next.blockFrom = laterStart(ledger.cells(), next.blockFrom ?? next.completeFrom, nowMs)
  if (Math.abs(nowMs - next.prunedAt) < pruneEveryMs) return
  ledger.prune(Math.min(next.blockFrom, nowMs - neededMs) - slackMs, nowMs - keptMs)
  next.prunedAt = nowMs
  tidyStates(folder, nowMs, keptMs)
}

/** Subagents of old clients wrote into the same file. */
function mainThread(ledger: StatusLedger, options: WindowOptions): UsageMessage[] {
  const { transcript, session, roots, needsOwn } = options
  const path = transcript === undefined || needsOwn !== true ? null : pathBelow(roots, transcript)
  if (path === null) return []
  const isMain = new Set([stemOf(basename(path)), session])
  return ledger.messagesOf(path).filter(({ thread }) => isMain.has(thread))
}

/** All that one session used, ever. What it only has copies of belongs to the session that it comes from. */
export function sessionWindow(transcript: string, options: WindowOptions): Pick<StatusWindow, 'cells' | 'isBehind'> {
  const path = resolve(transcript)
  const name = `session-${textHash(path, nameSeed).toString(36)}`
  const state = readState(options.folder, name)
  const isOwn = (statement: UsageOccurrence) => (statement.echo & echoRanks.copied) === 0
  const ledger = new StatusLedger(state, options.steps, isOwn)
  for (const look of lookAtSession(path)) ledger.update(look, options)
  const { isBehind, hasChanged } = ledger
  const cells = ledger.cells()
  const kept = { ...state, ...ledger.remembered(Number.NEGATIVE_INFINITY) }
  if (hasChanged) writeState(options.folder, name, kept)
  if (cells.length > 0) return { cells, isBehind }
  // A log whose name is not its session's has nothing but copies.
  return { cells: new StatusLedger({ ...kept, sums: null }, options.steps).cells(), isBehind }
}

type Progress = Pick<StatusState, 'completeFrom' | 'blockFrom' | 'walkedAt' | 'walkMs' | 'prunedAt' | 'isBehind'>

function isWalkDue(state: Progress, nowMs: number): boolean {
  const since = nowMs - state.walkedAt
  const isComplete = state.completeFrom <= nowMs - neededMs && state.blockFrom !== null && !state.isBehind
  return !isComplete || since < 0 || since >= Math.max(walkEveryMs, walkShare * state.walkMs)
}

/** Reads what is new in all logs; the first time, or after a long while, back to where blocks can be told. */
function walk(ledger: StatusLedger, next: Progress, options: WindowOptions): void {
  const { nowMs, roots } = options
  const started = performance.now()
  const looks = lookAtAll(roots).sort((a, b) => b.modifiedMs - a.modifiedMs)
  next.walkMs = Math.ceil(performance.now() - started)
  const needFrom = nowMs - neededMs
  const isOld = next.completeFrom > needFrom || next.walkedAt < nowMs - longestMs
  if (isOld) Object.assign(next, { completeFrom: Number.POSITIVE_INFINITY, blockFrom: null })
  let from = isOld ? needFrom : Math.min(needFrom, next.walkedAt - slackMs)
  let at = readSince(ledger, looks, 0, from, options)
  while (!ledger.isBehind && next.blockFrom === null) {
    next.blockFrom = pauseIn(ledger.cells(), from, nowMs)
    if (next.blockFrom !== null || from <= nowMs - longestMs) break
    from -= stepMs
    at = readSince(ledger, looks, at, from, options)
  }
  if (ledger.isBehind) return
  next.walkedAt = nowMs
  if (isOld) next.completeFrom = from
}

/** Newest first, so that what is asked for most is there first. */
function readSince(
  ledger: StatusLedger,
  looks: readonly LogLook[],
  at: number,
  from: number,
  options: WindowOptions,
): number {
  let next = at
  for (; next < looks.length && (looks[next] as LogLook).modifiedMs >= from; next++) {
    ledger.update(looks[next] as LogLook, options)
  }
  return next
}

/** The session that asks, with its subagents, and logs that changed not long ago. */
function nearLooks(files: readonly ReadFile[], { transcript, roots, nowMs }: WindowOptions): LogLook[] {
  const looks = new Map<string, LogLook>()
  const own = transcript === undefined ? null : pathBelow(roots, transcript)
  for (const look of own === null ? [] : lookAtSession(own)) looks.set(look.path, look)
  const recent = files.filter(file => file.modifiedMs >= nowMs - recentMs && !looks.has(file.path))
  recent.sort((a, b) => b.modifiedMs - a.modifiedMs)
  for (const { path, session, isAgent } of recent.slice(0, mostRecent)) {
    const look = lookAt(path, session, isAgent)
    if (look !== null) looks.set(path, look)
  }
  return [...looks.values()]
}

/** The path as a walk would write it; null where it lies below none of the roots. */
function pathBelow(roots: readonly string[], path: string): string | null {
  const place = resolve(path)
  for (const root of roots) {
    const below = relative(resolve(root), place)
    if (below === '') return root
    if (!below.startsWith('..') && !below.startsWith(sep)) return join(root, below)
  }
  try {
    const real = realpathSync(place)
    for (const root of roots) {
      const below = relative(realpathSync(root), real)
      if (!below.startsWith('..') && !below.startsWith(sep)) return join(root, below)
    }
  } catch {
    // Nothing lies there.
  }
  return null
}

/** The end of the last pause of five hours since `from`, which may still go on; null where there was none. */
function pauseIn(cells: readonly UsageCell[], from: number, nowMs: number): number | null {
  let pause: number | null = null
  let before = from
  for (const at of [...timesOf(cells, from, nowMs), nowMs]) {
    if (at - before > blockMs) pause = before + blockMs + 1
    before = at
  }
  return pause
}

/** A later place to tell blocks from, as the same blocks follow from it: after a pause, or where an old block began. */
function laterStart(cells: readonly UsageCell[], from: number, nowMs: number): number {
  const pause = pauseIn(cells, from, nowMs)
  if (pause !== null) return pause
  let found = from
  let start = Number.NEGATIVE_INFINITY
  for (const at of timesOf(cells, from, nowMs - neededMs)) {
    if (at < start + blockMs) continue
    start = Math.floor(at / hourMs) * hourMs
    found = Math.max(from, start)
  }
  return found
}

/** In order; pauses of hours and starts of hours show in these. What is not yet, by this machine's clock, says nothing. */
function timesOf(cells: readonly UsageCell[], from: number, to: number): number[] {
  const times: number[] = []
  for (const { firstAt, lastAt, isSynthetic } of cells) {
    if (isSynthetic) continue
    for (const at of [firstAt, lastAt]) if (at !== null && at >= from && at <= to) times.push(at)
  }
  return times.sort((a, b) => a - b)
}
