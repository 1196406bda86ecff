// Notices which logs under some roots change: by events of the file system, with a slow sweep over everything for what
// they miss, and by polling where there are none. It opens no file; what the bytes say is its users' business.

import { join, sep } from 'node:path'
import type { Finding } from '../../model/finding.ts'
import { stemOf } from '../discover/project.ts'
import { FolderEvents } from './events.ts'
import { holdsLog, isOfOneSession, placeBelow } from './place.ts'
import { Changes, type FileChange, type FileState } from './state.ts'
import { type Folder, type Job, WatchTree, Work } from './tree.ts'

export type { FileChange } from './state.ts'

export interface WatchOptions {
  /** As `discover` takes them; one that is not there yet may come later. */
  roots: readonly string[]
  /** Between two sweeps, at least; longer where it would cost half a percent of a core. */
  sweepMs?: number
  /** Between two looks at what was written to lately, where there are no events; longer likewise. */
  pollMs?: number
  /** Does without events. */
  isPolling?: boolean
  /** Watches whole trees at once; by default where the platform can. */
  isDeep?: boolean
  /** Between two calls of `onChange`, at least: what happens in between is reported together. */
  settleMs?: number
  /** Only what happened after `ready`; never called during another call of this watch. */
  onChange(changes: FileChange[]): void
  /** Folders that cannot be read or watched; each once. */
  onProblem?(finding: Finding): void
}

export interface Watch {
  /** From here on every change is reported: what is read afterwards is complete together with the changes. Resolves also on `close`. */
  ready: Promise<void>
  /** Compares everything with the disk now, and reports what differs before it resolves. */
  sweep(): Promise<void>
  stats(): WatchStats
  /** The files whose last change is this late or later, as they are known now. */
  writtenSince(sinceMs: number): WrittenFile[]
  close(): Promise<void>
}

/** A file as it was when it was last looked at. */
export type WrittenFile = Pick<FileChange, 'path' | 'size' | 'modifiedMs'>

export interface WatchStats {
  mode: 'events' | 'polling'
  folders: number
  files: number
  /** Folders that the operating system watches. */
  watches: number
  polled: number
  sweeps: number
  /** What the last sweep cost, in milliseconds of work. */
  sweepCostMs: number
}

export function watchFiles(options: WatchOptions): Watch {
  return new FileWatch(options)
}

const defaults = { eventSweepMs: 60_000, pollingSweepMs: 5_000, pollMs: 250, settleMs: 20 }
// Of the time of one core: with 0.004, a job that took 10 ms is not done again within 2.5 seconds. Polling what is written
// to lately costs next to nothing where nothing is.
const shares = { sweep: 0.004, allPolled: 0.002, hotPolled: 0.02 }
// Between two looks at all polled folders, at least.
const allPolledMs = 2_000
// A session's own folders are watched as long as anything about it is younger than this.
const recentMs = 3_600_000
// Files that were written to within this time are polled often, and those within the other now and then; a sweep finds what
// is written to older ones.
const hotMs = 600_000
const warmMs = 172_800_000
// How long an event may take.
const lateMs = 2_000
// Stands for a folder itself among touched names, and for all names in it: no file has this name.
const itself = '.'
const everything = ''

class FileWatch implements Watch {
  readonly ready: Promise<void>
  private readonly options: WatchOptions
  private readonly tree: WatchTree
  private readonly events: FolderEvents
  private readonly changes: Changes
  private readonly work = new Work()
  private readonly touched = new Map<Folder, Set<string>>()
  private readonly reported = new Set<string>()
  private readonly timers = new Map<'flush' | 'sweep' | 'poll', NodeJS.Timeout>()
  private lastSettled = 0
  private sweeps = 0
  private sweepCostMs = 0
  private sweeping: Promise<void> = Promise.resolve()
  private isSweeping = false
  private pollCostMs = 0
  private nextAllPolled = 0
  private isPollUnderWay = false
  private isReady = false
  private isClosed = false

  constructor(options: WatchOptions) {
    this.options = options
    const { isPolling = false, isDeep = process.platform === 'darwin' || process.platform === 'win32' } = options
    this.events = new FolderEvents(
      { isPolling, isDeep },
      {
        onEvent: (folder, name, isListChange) => this.onEvent(folder, name, isListChange),
        onPolling: message => this.report({ code: 'watch-polling', severity: 'info', message }),
      },
    )
    this.tree = new WatchTree(options.roots, {
      onFolder: folder => this.onFolder(folder),
      onDrop: folder => {
        this.events.close(folder)
        this.touched.delete(folder)
      },
      onFile: (folder, name, before, after, isQuiet) => this.onFile(folder, name, before, after, isQuiet),
      onUnreadable: (kind, path, code) => {
        const message = `This ${kind} cannot be read (${code}).`
        this.report({ code: `unreadable-${kind}`, severity: 'warning', file: path, message })
      },
    })
    this.changes = new Changes(this.tree.births)
    this.ready = this.start()
  }

  stats(): WatchStats {
    const { tree, events, sweeps, sweepCostMs } = this
    const mode = events.count > 0 || events.polled.size === 0 ? 'events' : 'polling'
    const counts = { folders: tree.folders.size, files: tree.fileCount, watches: events.count }
    return { mode, ...counts, polled: events.polled.size, sweeps, sweepCostMs }
  }

  writtenSince(sinceMs: number): WrittenFile[] {
    const found: WrittenFile[] = []
    for (const { path, files } of this.tree.folders) {
      for (const [name, { size, modifiedMs }] of files) {
        if (modifiedMs >= sinceMs) found.push({ path: join(path, name), size, modifiedMs })
      }
    }
    return found
  }

  sweep(): Promise<void> {
    this.sweeping = this.sweeping.then(() => this.ready).then(() => this.sweepOnce())
    return this.sweeping
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const timer of this.timers.values()) clearTimeout(timer)
    this.timers.clear()
    this.work.close()
    this.events.closeAll()
    await this.ready
    // The watches' handles are closed one round of the event loop later.
    await new Promise(resolve => setImmediate(resolve))
  }

  private async start(): Promise<void> {
    await this.work.add(this.tree.openRoots(true), true)
    this.isReady = true
    if (this.touched.size > 0 || !this.changes.isEmpty) this.settleSoon()
    this.planSweep()
    this.planPoll()
  }

  private report(finding: Finding): void {
    const key = `${finding.code} ${finding.file ?? finding.message}`
    if (this.reported.has(key)) return
    this.reported.add(key)
    this.options.onProblem?.(finding)
  }

  private onFolder(folder: Folder): void {
    const { parent, place, name } = folder
    if (!isOfOneSession(place)) {
      this.events.open(folder, true)
      return
    }
    const above = place.kind === 'session' ? parent?.files.get(`${name}.jsonl`)?.modifiedMs : parent?.activeMs
    folder.activeMs = Math.max(folder.activeMs, above ?? 0)
    if (isRecent(folder)) this.events.open(folder, this.isReady)
  }

  private onFile(folder: Folder, name: string, before: FileState | null, after: FileState | null, isQuiet: boolean) {
    const now = Date.now()
    folder.activeMs = Math.max(folder.activeMs, isQuiet ? (after?.modifiedMs ?? 0) : now)
    // A link's folder gets no events for what happens at its target.
    if (after?.isLink === true) this.events.polled.add(folder)
    if (folder.isOpen && isOfOneSession(folder.place) && isRecent(folder)) this.watchNow(folder)
    if (isQuiet) return
    const isLate = after !== null && !after.isLink && now - after.changedMs > lateMs
    if (this.isSweeping && isLate) this.events.missed(folder)
    this.changes.note(join(folder.path, name), before, after)
    this.settleSoon()
    if (after === null || isOfOneSession(folder.place)) return
    const own = folder.folders.get(stemOf(name))
    if (own === undefined) return
    // Without its main file it may not have passed for a session's.
    if (before === null) own.isSettled = false
    if (before === null || now - own.activeMs > recentMs / 60 || !this.events.isWatched(own)) this.awaken(own)
  }

  /** A session is written to: its own folders will be soon. */
  private awaken(top: Folder): void {
    const waiting = [top]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      folder.activeMs = Date.now()
      if (!folder.isSettled) this.work.add(this.tree.check(folder), true)
      this.watchNow(folder)
      waiting.push(...folder.folders.values())
    }
  }

  private watchNow(folder: Folder): void {
    if (this.events.isWatched(folder)) return
    this.events.open(folder, this.isReady)
    // It may have changed just before.
    if (this.events.isWatched(folder)) this.work.add(this.tree.check(folder), true)
  }

  private onEvent(folder: Folder, name: string | null, isListChange: boolean): void {
    if (name === null) {
      this.touch(folder, everything)
      return
    }
    const way = name.split(sep)
    const last = way.pop() ?? ''
    let place = folder
    for (const step of way) {
      const next = place.folders.get(step)
      if (next === undefined) {
        if (placeBelow(place.place, step) !== null) this.touch(place, step)
        return
      }
      place = next
    }
    // What happens to a folder itself is reported under its own name.
    if (isListChange && way.length === 0 && last === folder.name) this.touch(folder, itself)
    if (holdsLog(place.place, last)) this.touch(place, last)
    else if (isListChange && placeBelow(place.place, last) !== null) this.touch(place, last)
  }

  private touch(folder: Folder, name: string): void {
    const names = this.touched.get(folder)
    if (names === undefined) this.touched.set(folder, new Set([name]))
    else names.add(name)
    this.settleSoon()
  }

  /** At once after a time of quiet; while much happens, in steady steps. */
  private settleSoon(): void {
    if (!this.isReady || this.timers.has('flush')) return
    const { settleMs = defaults.settleMs } = this.options
    const wait = Math.min(settleMs, Math.max(0, this.lastSettled + settleMs - performance.now()))
    this.plan('flush', wait, () => this.flush())
  }

  private async flush(): Promise<void> {
    this.lastSettled = performance.now()
    if (this.touched.size > 0) await this.work.add(this.lookAtTouched(), true)
    this.emit()
    this.planPoll()
  }

  private *lookAtTouched(): Job {
    for (const [folder, names] of this.touched) {
      this.touched.delete(folder)
      for (const name of names) {
        if (name === itself) this.tree.confirm(folder)
        else if (name === everything) yield* this.tree.explore([folder], false)
        else yield* this.tree.explore(this.tree.refresh(folder, name), false)
        yield
      }
      const { parent, isOpen, name } = folder
      if (isOpen) continue
      if (parent === null) yield* this.tree.openRoots(false)
      else yield* this.tree.explore(this.tree.refresh(parent, name), false)
    }
  }

  private emit(): void {
    if (this.isClosed || this.changes.isEmpty) return
    const changes = this.changes.take()
    if (changes.length > 0) this.options.onChange(changes)
  }

  private async sweepOnce(): Promise<void> {
    if (this.isClosed) return
    this.sweepCostMs = await this.work.add(this.lookAtAll(), false)
    if (this.isClosed) return
    this.sweeps++
    this.events.closeIdle(Date.now() - recentMs)
    this.emit()
    this.planSweep()
    this.planPoll()
  }

  private *lookAtAll(): Job {
    yield* this.tree.openRoots(false)
    for (const folder of [...this.tree.folders]) {
      // Its watch may have failed for a reason that is gone.
      if (folder.isOpen && !isOfOneSession(folder.place)) this.events.open(folder, true)
      const job = this.tree.check(folder)
      for (let isDone = false; !isDone; ) {
        this.isSweeping = true
        isDone = job.next().done === true
        this.isSweeping = false
        yield
      }
    }
  }

  private planSweep(): void {
    const usual = this.events.polled.size > 0 ? defaults.pollingSweepMs : defaults.eventSweepMs
    const wait = Math.max(this.options.sweepMs ?? usual, this.sweepCostMs / shares.sweep)
    clearTimeout(this.timers.get('sweep'))
    this.plan('sweep', wait, () => this.sweep())
  }

  /** Nothing is planned where there is nothing to poll. */
  private planPoll(): void {
    if (this.isPollUnderWay || this.timers.has('poll')) return
    if (this.events.polled.size === 0 && this.tree.roots.every(root => root.folder !== null)) return
    const { pollMs = defaults.pollMs } = this.options
    this.plan('poll', Math.max(pollMs, this.pollCostMs / shares.hotPolled), () => this.poll())
  }

  private async poll(): Promise<void> {
    this.isPollUnderWay = true
    this.pollCostMs = await this.work.add(this.lookAtPolled(true), true)
    if (performance.now() >= this.nextAllPolled) {
      const costMs = await this.work.add(this.lookAtPolled(false), false)
      const wait = Math.max(Math.min(allPolledMs, this.options.pollMs ?? allPolledMs), costMs / shares.allPolled)
      this.nextAllPolled = performance.now() + wait
    }
    this.isPollUnderWay = false
    this.planPoll()
  }

  /** `isHot`: only what was written to lately. */
  private *lookAtPolled(isHot: boolean): Job {
    if (isHot) yield* this.tree.openRoots(false)
    const since = Date.now() - (isHot ? hotMs : warmMs)
    for (const folder of [...this.events.polled]) {
      if (!isHot || folder.activeMs >= since) yield* this.tree.check(folder, { since })
    }
  }

  private plan(name: 'flush' | 'sweep' | 'poll', waitMs: number, run: () => unknown): void {
    if (this.isClosed) return
    const timer = setTimeout(() => {
      this.timers.delete(name)
      run()
    }, waitMs)
    this.timers.set(name, timer)
  }
}

function isRecent(folder: Folder): boolean {
  return folder.activeMs > Date.now() - recentMs
}
