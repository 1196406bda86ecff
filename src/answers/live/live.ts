// Reports changes to followers as they happen: a session that grows, a list that changed. It watches the disk; what a change
// means is decided by its hooks. While nothing is written it does nothing.

import { basename, dirname } from 'node:path'
import type { Instant } from '../../base/instant.ts'
import { isLogName, roleOf, stemOf } from '../../disk/discover/project.ts'
import { type FileChange, type Watch, watchFiles } from '../../disk/watch/watch.ts'
import { isInUse, liveWithinMs } from '../../model/source.ts'
import type { LiveMessage } from '../shapes.ts'

// Between two messages about one session, at least.
const grownMs = 100
const listMs = 250

interface LiveHooks {
  roots: readonly string[]
  /** Something was written: the index is behind. */
  onTouch(): void
  /** How many slots each thread of a session has now; null where that is unknown. */
  slotsOf(session: string): Promise<{ [thread: string]: number } | null>
  /** Which session a log belongs to, where that is known. */
  sessionAt(path: string): string | undefined
  /** The time of a session's last record, where it is known. */
  endedAt(session: string): Instant | undefined
  /** Whether the main log of a session is there; only known sessions are asked about. */
  hasMainLog(session: string): boolean
  version(): string
  onProblem(message: string): void
}

interface Follower {
  session: string | undefined
  onMessage(message: LiveMessage): void
}

interface Growing {
  timer: NodeJS.Timeout | undefined
  lastMs: number
  isBusy: boolean
  isDirty: boolean
}

export class Live {
  private readonly hooks: LiveHooks
  private readonly watch: Watch
  private readonly followers = new Set<Follower>()
  private readonly growing = new Map<string, Growing>()
  private listTimer: NodeJS.Timeout | undefined
  private endTimer: NodeJS.Timeout | undefined
  private isReady = false
  private isClosed = false

  constructor(hooks: LiveHooks) {
    this.hooks = hooks
    this.watch = watchFiles({
      roots: hooks.roots,
      onChange: changes => this.onChange(changes),
      onProblem: ({ severity, message }) => {
        if (severity !== 'info') hooks.onProblem(message)
      },
    })
    void this.watch.ready.then(() => {
      this.isReady = true
    })
  }

  get ready(): Promise<void> {
    return this.watch.ready
  }

  follow(session: string | undefined, onMessage: (message: LiveMessage) => void): () => void {
    const follower: Follower = { session, onMessage }
    this.followers.add(follower)
    // What was written during the first look at the disk was not reported.
    if (!this.isReady) {
      void this.watch.ready.then(() => {
        if (!this.followers.has(follower)) return
        if (session !== undefined) this.grow(session)
        this.listChanged()
      })
    }
    return () => {
      this.followers.delete(follower)
      if (session === undefined || [...this.followers].some(other => other.session === session)) return
      clearTimeout(this.growing.get(session)?.timer)
      this.growing.delete(session)
    }
  }

  /** Sessions that are being written; null before the first look at the disk. */
  sessions(now = Date.now()): Set<string> | null {
    if (!this.isReady) return null
    const found = new Set<string>()
    for (const file of this.watch.writtenSince(now - liveWithinMs)) {
      const { path } = file
      const session = this.sessionOf(path)
      if (session === undefined || found.has(session)) continue
      if (!isInUse(file, this.hooks.endedAt(session) ?? null, now)) continue
      // A subagent's log may be all that is left of a session.
      if (roleOf(basename(path)) === 'session' || this.hooks.hasMainLog(session)) found.add(session)
    }
    return found
  }

  /** Newest paths of logs that may be of a session that the index does not know yet. */
  pathsOf(session: string): string[] {
    const files = this.watch.writtenSince(0).filter(({ path }) => isLogName(basename(path)))
    return files.filter(({ path }) => namedSession(path) === session).map(({ path }) => path)
  }

  /** The list may have changed. */
  listChanged(): void {
    if (this.isClosed || this.followers.size === 0) return
    this.listTimer ??= setTimeout(() => {
      this.listTimer = undefined
      this.sendList()
    }, listMs)
  }

  isFollowed(session: string): boolean {
    return [...this.followers].some(follower => follower.session === session)
  }

  /** Sends it to all followers. */
  report(message: LiveMessage): void {
    this.send(message)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.listTimer)
    clearTimeout(this.endTimer)
    for (const { timer } of this.growing.values()) clearTimeout(timer)
    this.growing.clear()
    this.followers.clear()
    await this.watch.close()
  }

  private onChange(changes: readonly FileChange[]): void {
    this.hooks.onTouch()
    const touched = new Set<string>()
    for (const { path } of changes) {
      const session = this.sessionOf(path)
      if (session !== undefined) touched.add(session)
    }
    for (const { session } of this.followers) if (session !== undefined && touched.has(session)) this.grow(session)
    this.listChanged()
  }

  private sessionOf(path: string): string | undefined {
    return this.hooks.sessionAt(path) ?? namedSession(path)
  }

  /** At once after a time of quiet; while much is written, in steady steps. */
  private grow(session: string): void {
    let growing = this.growing.get(session)
    if (growing === undefined) {
      growing = { timer: undefined, lastMs: 0, isBusy: false, isDirty: false }
      this.growing.set(session, growing)
    }
    growing.isDirty = true
    if (growing.timer !== undefined || growing.isBusy) return
    const wait = Math.max(0, growing.lastMs + grownMs - performance.now())
    const state = growing
    growing.timer = setTimeout(() => {
      state.timer = undefined
      void this.sendGrown(session, state)
    }, wait)
  }

  private async sendGrown(session: string, state: Growing): Promise<void> {
    state.isBusy = true
    state.isDirty = false
    try {
      const threads = await this.hooks.slotsOf(session)
      if (threads !== null) this.send({ type: 'grown', session, threads }, session)
    } catch (error) {
      this.hooks.onProblem(error instanceof Error ? error.message : String(error))
    }
    state.isBusy = false
    state.lastMs = performance.now()
    if (state.isDirty && this.growing.get(session) === state) this.grow(session)
  }

  private sendList(): void {
    const live = [...(this.sessions() ?? [])].sort()
    this.send({ type: 'list', version: this.hooks.version(), live })
    // Some time after its last write a session is no longer live.
    clearTimeout(this.endTimer)
    if (live.length > 0) {
      this.endTimer = setTimeout(() => this.listChanged(), liveWithinMs)
      this.endTimer.unref()
    }
  }

  private send(message: LiveMessage, session?: string): void {
    for (const follower of this.followers) {
      if (session === undefined || follower.session === session) follower.onMessage(message)
    }
  }
}

/** `<slug>/<session>.jsonl`, or `<slug>/<session>/subagents/agent-x.jsonl`. */
function namedSession(path: string): string | undefined {
  const name = basename(path)
  if (!isLogName(name) || name === 'history.jsonl') return undefined
  if (roleOf(name) === 'session') return stemOf(name)
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === 'subagents') return basename(dirname(folder))
  }
  return undefined
}
