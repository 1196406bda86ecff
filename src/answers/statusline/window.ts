// What all sessions used since yesterday and in the active block, up to date: each call reads only what logs have got since the
// last one. All folders are walked now and then, and logs that did not change since yesterday are not read.
//
//      blockFrom: a block begins          no time zone's today began before: needed      now
//   ────────┴───────────────────────────────────────────┴──────────────────────────────────┤

import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { textHash } from '../../base/text-hash.ts'
import { stemOf } from '../../disk/discover/project.ts'
import type { RangeReader } from '../../model/source.ts'
import { echoRanks, type MessageUsage, type UsageCell, type UsageFile, type UsageStatement } from '../../model/usage.ts'
import { rollUp } from '../../usage/cell.ts'
import { markInherited, messagesOf, UsageMerge } from '../../usage/message.ts'
import { LineScan, LogDecode, lineBuffer, wholeLines } from '../../usage/scan/scan.ts'
import type { UsageLog } from '../../usage/statement.ts'
import { copiedTimes } from './copies.ts'
import { type LogStat, logsBelow, logsIn, logsOfSession, statLog } from './logs.ts'
import {
  emptyState,
  type LastRequest,
  type ReadLog,
  readState,
  type StatusState,
  tidyStates,
  writeState,
} from './state.ts'

export interface WindowOptions {
  /** Claude homes. */
  roots: readonly string[]
  /** The log of the session that the line is for. */
  transcript?: string | undefined
  /** Its id. */
  session?: string | undefined
  /** Prompt sizes at which a price changes. */
  steps: readonly number[]
  /** Where states are stored. */
  folder: string
  nowMs: number
  open(path: string): RangeReader
  /** Whether time is up: what is left is read by the next call. */
  isOver(): boolean
}

export interface StatusWindow {
  /** Sums without session and thread. */
  cells: UsageCell[]
  /** The latest request of the main thread of the session that the line is for; null where it is not known. */
  last: LastRequest | null
  /** Blocks can be computed from here on. */
  blockFrom: number
  /** Not everything was read, so there may be more. */
  isBehind: boolean
}

const hourMs = 3_600_000
const blockMs = 5 * hourMs
/** A day may have 25 hours. */
const neededMs = 26 * hourMs
/** Without a pause of five hours, blocks are computed from the first message of this many days. */
const longestMs = 8 * 24 * hourMs
const stepMs = 24 * hourMs
/** Records of one message come within minutes: a message that is older than needed by this much is complete. */
const slackMs = hourMs
const statesMs = 30 * 24 * hourMs
/** Folders are walked this often, or less often where that takes long. */
const walkEveryMs = 30_000
const walkShare = 20
/** Logs that changed within this time are looked at on each call. */
const recentMs = hourMs
const mostRecent = 64
/** Up to this many new bytes are read again by the next call, since writing the state takes longer. */
const unsavedBytes = 128 * 1024
const nameSeed = 11
const tailBytes = 64
const headBytes = 128 * 1024
const tailSeed = 7

/** Everything that was used since the beginning of today, anywhere, and in the active block. */
export function currentWindow(options: WindowOptions): StatusWindow {
  const path = statePath(options.folder, 'all', options.roots.map(root => resolve(root)).join('\n'))
  return withState(path, state => current(state, path, options))
}

/** A state that makes no sense is as good as none. */
function withState<Result>(path: string, answer: (state: StatusState) => Result): Result {
  try {
    return answer(readState(path))
  } catch {
    return answer(emptyState())
  }
}

function current(state: StatusState, path: string, options: WindowOptions): StatusWindow {
  const { nowMs, folder, steps } = options
  const ledger = new Ledger(state, options)
  const isWalk = isWalkDue(state, nowMs)
  if (isWalk) walk(ledger, state, options)
  else for (const log of recentLogs(state, options)) ledger.update(log)
  const messages = ledger.messages()
  if (!ledger.isBehind) state.blockFrom = laterStart(timesOf(messages), state.blockFrom ?? nowMs - neededMs, nowMs)
  if (isWalk || ledger.bytesRead > unsavedBytes) {
    const from = ledger.isBehind ? nowMs - longestMs : Math.min(state.blockFrom ?? nowMs, nowMs - neededMs)
    if (isWalk) tidyStates(folder, nowMs, statesMs)
    ledger.save(path, from - slackMs)
  }
  const last = options.transcript === undefined ? null : ledger.lastOf(options.transcript)
  const blockFrom = state.blockFrom ?? nowMs - neededMs
  return { last, blockFrom, isBehind: ledger.isBehind, cells: cellsOf(messages, steps) }
}

/** Everything that one session used, ever. What it only has copies of belongs to the session that it was forked from. */
export function sessionWindow(transcript: string, options: WindowOptions): Pick<StatusWindow, 'cells' | 'isBehind'> {
  const path = statePath(options.folder, 'session', resolve(transcript))
  return withState(path, state => {
    const ledger = new Ledger(state, options)
    // What a fork copied is there from its beginning: other logs are looked at once.
    const kin = state.logs.length === 0 ? logsAlike(resolve(transcript), options) : []
    if (kin.length > 0) state.copiedUntil = copiedTimes([...statLog(resolve(transcript)), ...kin], options.open)
    for (const log of [...kin, ...logsOfSession(resolve(transcript), options.open)]) ledger.update(log)
    if (ledger.bytesRead > 0) ledger.save(path, Number.NEGATIVE_INFINITY)
    const own = ledger.ownMessages(stemOf(basename(transcript)))
    // A log whose name is not its session's has nothing but copies.
    return { cells: cellsOf(own.length > 0 ? own : ledger.messages(), options.steps), isBehind: ledger.isBehind }
  })
}

function statePath(folder: string, kind: string, name: string): string {
  return join(folder, `${kind}-${textHash(name, nameSeed).toString(36)}.json`)
}

/** Other sessions of the folder that have the same first answer: one was forked or resumed from the other. */
function logsAlike(transcript: string, { open, isOver }: WindowOptions): LogStat[] {
  const answer = /"id":"msg[^"]+"/.exec(headOf(transcript, open))?.[0]
  if (answer === undefined) return []
  return logsIn(dirname(transcript)).filter(({ path, isAgent }) => {
    if (isAgent || path === transcript || isOver()) return false
    return headOf(path, open).includes(answer)
  })
}

function headOf(path: string, open: WindowOptions['open']): string {
  try {
    const reader = open(path)
    try {
      const head = Buffer.alloc(headBytes)
      return head.toString('latin1', 0, reader.read(head, 0))
    } finally {
      reader.close()
    }
  } catch {
    return ''
  }
}

/** No report here is by session or thread. */
function cellsOf(messages: readonly MessageUsage[], steps: readonly number[]): UsageCell[] {
  for (const message of messages) message.session = message.thread = ''
  return rollUp(messages, { promptSteps: steps, withTools: false })
}

/** All that is known of some logs, while they are read. */
class Ledger {
  bytesRead = 0
  isBehind = false
  private readonly state: StatusState
  private readonly options: WindowOptions
  private readonly buffer = lineBuffer()
  /** Places of logs by identity; the latest content of each. */
  private readonly places = new Map<string, number>()

  constructor(state: StatusState, options: WindowOptions) {
    this.state = state
    this.options = options
    for (const [place, { identity }] of state.logs.entries()) this.places.set(identity, place)
  }

  placeOf({ identity }: LogStat): number | undefined {
    return this.places.get(identity)
  }

  /** Reads what a log has got since it was last read. */
  update(log: LogStat): void {
    const known = this.state.logs[this.placeOf(log) ?? -1]
    if (known !== undefined && known.size === log.size && known.modifiedMs === log.modifiedMs) return
    if (this.options.isOver()) {
      this.isBehind = true
      return
    }
    try {
      const reader = this.options.open(log.path)
      try {
        this.read(log, reader, known)
      } finally {
        reader.close()
      }
    } catch {
      // It went, or may not be read: what it said before stays, and the next call tries again.
    }
  }

  private read(stat: LogStat, reader: RangeReader, known: ReadLog | undefined): void {
    const isSame =
      known !== undefined && known.position <= stat.size && tailOf(reader, known.position) === known.tailHash
    const log = isSame ? known : this.begin(stat)
    const copiedUntil = this.state.copiedUntil?.[stat.session]
    const take = (statement: UsageStatement) => {
      if (copiedUntil !== undefined) markInherited(statement, copiedUntil)
      noteLast(log, statement)
      this.state.statements.push(statement)
    }
    const place = usageLog(stat, this.placeOf(stat) ?? 0)
    const scan = new LineScan(place, take)
    let isDone = true
    for (const { lines, offset, isEnded } of wholeLines(reader, log.position, this.buffer)) {
      if (this.options.isOver()) {
        isDone = false
        break
      }
      // Lines before these may decide on thread and version: those may be wrong here, the amounts are not.
      if (!scan.lines(lines, offset)) decodeLines(lines, offset, place, take)
      if (isEnded) log.position = offset + lines.length
      this.bytesRead += lines.length
    }
    this.isBehind ||= !isDone
    // As if it had ended where reading was left off: the next call sees that there is more.
    log.size = isDone ? stat.size : log.position
    log.modifiedMs = stat.modifiedMs
    log.tailHash = tailOf(reader, log.position)
  }

  private begin(stat: LogStat): ReadLog {
    const log: ReadLog = { ...stat, position: 0, tailHash: 0 }
    this.places.set(stat.identity, this.state.logs.length)
    this.state.logs.push(log)
    return log
  }

  /** Of a session's log itself: a message may be counted where it was copied to. */
  lastOf(transcript: string): LastRequest | null {
    const [stat] = statLog(transcript)
    return (stat && this.state.logs[this.placeOf(stat) ?? -1]?.last) ?? null
  }

  messages(): MessageUsage[] {
    return messagesOf(this.state.statements, this.files())
  }

  /** Those of a session, without what its log has copies of. */
  ownMessages(session: string): MessageUsage[] {
    const own = this.state.statements.filter(({ echo }) => (echo & echoRanks.copied) === 0)
    return messagesOf(own, this.files()).filter(message => message.session === session)
  }

  /** Remembers messages since `from`, and logs that changed since then or state one of those. The state is not used after. */
  save(path: string, from: number): void {
    const { state } = this
    const merge = new UsageMerge()
    for (const statement of state.statements) merge.add(statement)
    const parts = merge.parts(this.files())
    const isLate = (part: UsageStatement) => (part.at ?? state.logs[part.file]?.modifiedMs ?? 0) >= from
    // A message's own time may be that of another statement.
    const late = new Set(parts.filter(isLate).map(part => part.key))
    const kept = parts.filter(part => late.has(part.key))
    const used = new Set(kept.map(part => part.file))
    const places = new Map<number, number>()
    const logs = state.logs.filter((log, place) => {
      const isKept = used.has(place) || (this.places.get(log.identity) === place && log.modifiedMs >= from)
      if (isKept) places.set(place, places.size)
      return isKept
    })
    const statements = kept.map(part => ({ ...part, file: places.get(part.file) ?? 0 }))
    writeState(path, { ...state, isBehind: this.isBehind, logs, statements })
  }

  private files(): UsageFile[] {
    return this.state.logs.map(({ path, session }, number) => ({ path, number, session }))
  }
}

/** Subagents of old versions of Claude Code wrote into the same file. */
function noteLast(log: ReadLog, said: UsageStatement): void {
  const { at, thread, isSynthetic, model } = said
  if (thread !== log.session || isSynthetic || (at ?? 0) < (log.last?.at ?? 0)) return
  log.last = { at, model, tokens: said.inputTokens + said.cacheReadTokens + said.cacheCreationTokens }
}

function decodeLines(lines: Uint8Array, offset: number, log: UsageLog, take: (one: UsageStatement) => unknown): void {
  const decode = new LogDecode(log, {}, take, offset)
  decode.push(lines)
  decode.end()
}

function usageLog({ path, session, isAgent }: LogStat, place: number): UsageLog {
  const agent = isAgent ? /^agent-(.+)$/i.exec(stemOf(basename(path)))?.[1] : undefined
  return {
    path,
    place,
    isAgentFile: isAgent,
    ...(session !== '' && { nameSession: session }),
    options: {
      role: isAgent ? 'agent' : 'session',
      ...(session !== '' && { session }),
      ...(agent !== undefined && { agent }),
    },
  }
}

function tailOf(reader: RangeReader, position: number): number {
  const tail = Buffer.alloc(Math.min(tailBytes, position))
  reader.read(tail, position - tail.length)
  return textHash(tail.toString('latin1'), tailSeed)
}

function isWalkDue({ walkedAt, walkMs, isBehind }: StatusState, nowMs: number): boolean {
  const since = nowMs - walkedAt
  return isBehind || since < 0 || since >= Math.max(walkEveryMs, walkShare * walkMs)
}

/** Reads what is new in all logs; the first time, or after a day without a call, back to where blocks can be computed. */
function walk(ledger: Ledger, state: StatusState, { nowMs, roots }: WindowOptions): void {
  const started = performance.now()
  // Newest first, so that the most important is there when time is up.
  const logs = logsBelow(roots).sort((one, other) => other.modifiedMs - one.modifiedMs)
  state.walkMs = Math.ceil(performance.now() - started)
  const needFrom = nowMs - neededMs
  const isOld = state.walkedAt < needFrom || state.walkedAt > nowMs
  if (isOld) state.blockFrom = null
  let from = isOld ? needFrom : state.walkedAt - slackMs
  let next = 0
  for (;;) {
    for (; next < logs.length && (logs[next]?.modifiedMs ?? 0) >= from; next++) ledger.update(logs[next] as LogStat)
    if (ledger.isBehind) return
    state.blockFrom ??= lastPause(timesOf(ledger.messages()), from, nowMs)
    if (state.blockFrom !== null) break
    if (from <= nowMs - longestMs) state.blockFrom = from
    from -= stepMs
  }
  state.walkedAt = nowMs
}

/** Logs of the session that the line is for, and logs that changed not long ago. */
function recentLogs({ logs }: StatusState, { transcript, roots, nowMs, open }: WindowOptions): LogStat[] {
  const own = transcript !== undefined && isBelow(roots, transcript) ? logsOfSession(resolve(transcript), open) : []
  const recent = logs.filter(log => log.modifiedMs >= nowMs - recentMs).sort((a, b) => b.modifiedMs - a.modifiedMs)
  const isCurrent = (log: LogStat) => log.modifiedMs >= nowMs - neededMs
  return [...own, ...recent.slice(0, mostRecent).flatMap(({ path }) => statLog(path))].filter(isCurrent)
}

function isBelow(roots: readonly string[], path: string): boolean {
  try {
    const real = realpathSync(path)
    return roots.some(root => real.startsWith(`${realpathSync(root)}${sep}`))
  } catch {
    return false
  }
}

/** In order, without what Claude Code wrote in the model's name. */
function timesOf(messages: readonly MessageUsage[]): Float64Array {
  const times = messages.filter(({ at, isSynthetic }) => at !== null && !isSynthetic).map(({ at }) => at as number)
  return Float64Array.from(times).sort()
}

/** The end of the last pause of five hours since `from`, which may not be over; null where there was none. */
function lastPause(times: Float64Array, from: number, nowMs: number): number | null {
  let pause: number | null = null
  let before = from
  for (const at of [...times.filter(time => time >= from && time <= nowMs), nowMs]) {
    if (at - before > blockMs) pause = before + blockMs + 1
    before = at
  }
  return pause
}

/** A later time to compute blocks from, with the same blocks after it: after a pause, or where an old block began. */
function laterStart(times: Float64Array, from: number, nowMs: number): number {
  const pause = lastPause(times, from, nowMs)
  if (pause !== null) return pause
  let found = from
  let start = Number.NEGATIVE_INFINITY
  for (const at of times) {
    if (at < from || at > nowMs - neededMs || at < start + blockMs) continue
    start = Math.floor(at / hourMs) * hourMs
    found = Math.max(from, start)
  }
  return found
}
