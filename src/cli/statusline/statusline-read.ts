// Reads what logs have got since the last call, and only that, and joins it with what was known. A log that is not what it
// was is read anew; what it said before still counts. Which logs are looked at, and what is asked, is decided elsewhere.

import { closeSync, constants, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { textHash } from '../../base/text-hash.ts'
import { stemOf } from '../../disk/discover/project.ts'
import type { UsageCell, UsageFile, UsageMessage, UsageOccurrence } from '../../model/spent.ts'
import { UsageMerge } from '../../usage/merge.ts'
import type { UsageLog } from '../../usage/scan/scan.ts'
import { cellsOf, changeCells } from './statusline-cells.ts'
import {
  emptyRows,
  filesOf,
  replaceRows,
  rowAt,
  rowCount,
  rowsOf,
  type StatusRows,
  withFiles,
} from './statusline-rows.ts'
import { type LogBytes, LogScanner } from './statusline-scan.ts'
import { farBytes, farFiles, type ReadFile, type StatusState, type StatusSums } from './statusline-state.ts'
import type { LogLook } from './statusline-walk.ts'

export interface ReadOptions {
  open(path: string): LogBytes
  /** Whether time is up: what is left is read by the next call. */
  isOver(): boolean
}

/** As much of the end of what was read is compared. */
const tailBytes = 64
const tailSeed = 7
/** With more new statements than this, everything is joined anew. */
const fewStatements = 500

/** A log on disk. A pipe that took its place is never waited for. */
export function openLog(path: string): LogBytes {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  return {
    read(into, from) {
      let filled = 0
      while (filled < into.length) {
        const bytes = readSync(descriptor, into, filled, into.length - filled, from + filled)
        if (bytes === 0) break
        filled += bytes
      }
      return filled
    },
    close: () => closeSync(descriptor),
  }
}

/** All that is known of some logs, while it is being read. */
export class StatusLedger {
  readonly files: ReadFile[]
  /** Whether anything was read, so that there is something to remember. */
  hasChanged = false
  /** Whether a log has bytes that were not read, because time was up. */
  isBehind = false
  /** Null once they are among the files. */
  private far: Uint8Array | null
  private rows: StatusRows
  private sums: StatusSums | null
  private readonly steps: readonly number[]
  private readonly isCounted: (statement: UsageOccurrence) => boolean
  private readonly newest = new Map<string, number>()
  private scanner: LogScanner | undefined
  /** What was read since the rows were made, until it is too much. */
  private fresh: UsageOccurrence[] = []
  /** All, once it was too much. */
  private all: UsageMerge | undefined

  /** `steps`: prompt sizes at which a price changes. `isCounted`: which statements are summed. */
  constructor(state: StatusState, steps: readonly number[], isCounted = (_: UsageOccurrence) => true) {
    this.files = state.files
    this.far = state.far
    this.rows = state.rows
    this.steps = steps
    this.isCounted = isCounted
    this.sums = state.sums !== null && String(state.sums.steps) === String(steps) ? state.sums : null
    for (const [place, file] of state.files.entries()) this.newest.set(file.path, place)
  }

  /** How a log was known: whatever is not near may be among those that are seldom asked for. */
  private known(path: string): ReadFile | undefined {
    if (!this.newest.has(path)) this.loadFar()
    return this.files[this.newest.get(path) ?? -1]
  }

  private loadFar(): void {
    if (this.far === null) return
    for (const file of farFiles(this.far)) if (!this.newest.has(file.path)) this.add(file)
    this.far = null
  }

  private add(file: ReadFile): void {
    this.newest.set(file.path, this.files.length)
    this.files.push(file)
  }

  /** Brings one log up to date. */
  update(look: LogLook, options: ReadOptions): void {
    const known = this.known(look.path)
    if (known !== undefined && isAsKnown(known, look)) return
    if (options.isOver()) {
      this.isBehind = true
      return
    }
    this.hasChanged = true
    try {
      const bytes = options.open(look.path)
      try {
        this.read(look, known, bytes, options)
      } finally {
        bytes.close()
      }
    } catch {
      // It went, or may not be read: what it said before stays, and the next call tries again.
    }
  }

  private read(look: LogLook, known: ReadFile | undefined, bytes: LogBytes, options: ReadOptions): void {
    const isSame =
      known !== undefined &&
      known.identity === look.identity &&
      known.position <= look.size &&
      tailOf(bytes, known.position) === known.tailHash
    const file = isSame ? known : this.begin(look, (known?.number ?? -1) + 1)
    this.scanner ??= new LogScanner(statement => this.take(statement), options.isOver)
    const log = usageLog(look, this.newest.get(look.path) ?? 0)
    const { position, isDone } = this.scanner.scan({ log, bytes, from: file.position, to: look.size })
    file.position = position
    this.isBehind ||= !isDone
    // As if it had ended where reading was left off: the next call sees that there is more.
    file.size = isDone ? look.size : file.position
    file.modifiedMs = look.modifiedMs
    file.tailHash = tailOf(bytes, file.position)
  }

  private begin(look: LogLook, number: number): ReadFile {
    const { path, session, isAgent, identity } = look
    const file: ReadFile = {
      path,
      session,
      isAgent,
      identity,
      number,
      position: 0,
      size: 0,
      modifiedMs: 0,
      tailHash: 0,
    }
    this.add(file)
    return file
  }

  /** The scan uses its object again. */
  private take(statement: UsageOccurrence): void {
    if (this.all !== undefined) this.all.add(statement)
    else if (this.fresh.push({ ...statement }) > fewStatements) this.all = this.mergeAll()
  }

  private mergeAll(): UsageMerge {
    const merge = new UsageMerge()
    for (let place = 0; place < rowCount(this.rows); place++) merge.add(rowAt(this.rows, place))
    for (const statement of this.fresh) merge.add(statement)
    this.fresh = []
    return merge
  }

  /** The sums of all messages that are known by now. */
  cells(): readonly UsageCell[] {
    if (this.all === undefined && this.fresh.length > 0 && this.sums !== null) this.joinFew(this.sums)
    if (this.all !== undefined || this.fresh.length > 0 || this.sums === null) this.joinAll()
    return this.sums?.cells ?? []
  }

  /** Only messages that the new statements are about can have changed. */
  private joinFew(sums: StatusSums): void {
    const places = rowsOf(this.rows, new Set(this.fresh.map(statement => statement.key)))
    const before = places.map(place => rowAt(this.rows, place))
    const merge = mergeOf([...before, ...this.fresh])
    const after = merge.parts(this.usageFiles())
    const cells = changeCells(sums.cells, this.counted(before), this.counted(after))
    if (cells === null) return
    this.rows = replaceRows(this.rows, places, after)
    this.sums = { steps: this.steps, cells }
    this.fresh = []
  }

  private joinAll(): void {
    const merge = this.all ?? this.mergeAll()
    const parts = merge.parts(this.usageFiles())
    this.rows = replaceRows(emptyRows(), [], parts)
    this.sums = { steps: this.steps, cells: this.counted(parts) }
    this.all = undefined
  }

  private counted(parts: readonly UsageOccurrence[]): UsageCell[] {
    return cellsOf(mergeOf(parts.filter(this.isCounted)).messages(this.usageFiles()), this.steps)
  }

  /** Messages that a log states first, after `cells`. */
  messagesOf(path: string): UsageMessage[] {
    const parts: UsageOccurrence[] = []
    for (let place = 0; place < rowCount(this.rows); place++) {
      const part = rowAt(this.rows, place)
      if (this.files[part.file]?.path === path) parts.push(part)
    }
    return mergeOf(parts).messages(this.usageFiles())
  }

  /** Drops messages before `from`, and logs that did not change since `filesFrom` and state none of the others. */
  prune(from: number, filesFrom: number): void {
    this.cells()
    const all = Array.from({ length: rowCount(this.rows) }, (_, place) => rowAt(this.rows, place))
    const isLate = (part: UsageOccurrence) => (part.at ?? this.files[part.file]?.modifiedMs ?? 0) >= from
    // A message's own time may be that of another statement.
    const keys = new Set(all.filter(isLate).map(part => part.key))
    const parts = all.filter(part => keys.has(part.key))
    this.rows = replaceRows(emptyRows(), [], parts)
    this.sums = { steps: this.steps, cells: this.counted(parts) }
    const used = filesOf(this.rows)
    this.keepFiles(
      (file, place) => used.has(place) || (this.newest.get(file.path) === place && file.modifiedMs >= filesFrom),
    )
  }

  /** The other files are forgotten; the rows have to be of these. */
  private keepFiles(isKept: (file: ReadFile, place: number) => boolean): ReadFile[] {
    const places = new Map<number, number>()
    const others: ReadFile[] = []
    const files = this.files.filter((file, place) => {
      if (isKept(file, place)) places.set(place, places.size)
      else others.push(file)
      return places.has(place)
    })
    if (others.length === 0) return others
    this.rows = withFiles(this.rows, places)
    this.files.splice(0, this.files.length, ...files)
    this.newest.clear()
    for (const [place, file] of files.entries()) this.newest.set(file.path, place)
    return others
  }

  /** All to be kept; files that changed since `nearFrom` are looked at by each call. The ledger is not used any more. */
  remembered(nearFrom: number): Pick<StatusState, 'files' | 'far' | 'rows' | 'sums'> {
    this.cells()
    if (this.far === null) {
      const used = filesOf(this.rows)
      this.far = farBytes(this.keepFiles((file, place) => used.has(place) || file.modifiedMs >= nearFrom))
    }
    return { files: this.files, far: this.far, rows: this.rows, sums: this.sums }
  }

  private usageFiles(): UsageFile[] {
    return this.files.map(({ path, number, session }) => ({ path, number, session }))
  }
}

function mergeOf(statements: readonly UsageOccurrence[]): UsageMerge {
  const merge = new UsageMerge()
  for (const statement of statements) merge.add(statement)
  return merge
}

function usageLog({ path, session, isAgent }: LogLook, place: number): UsageLog {
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

function isAsKnown(file: ReadFile, look: LogLook): boolean {
  return file.identity === look.identity && file.size === look.size && file.modifiedMs === look.modifiedMs
}

function tailOf(bytes: LogBytes, position: number): number {
  const tail = new Uint8Array(Math.min(tailBytes, position))
  const length = bytes.read(tail, position - tail.length)
  return textHash(String.fromCharCode(...tail.subarray(0, length)), tailSeed)
}
