// Sessions that are being read, held in memory as long as somebody may ask on: the last used ones, up to so many bytes of logs.
// Every answer is about the files as they are now.

import type { FileTree } from '../../disk/discover/tree.ts'
import type { Database } from '../../index/store/port.ts'
import type { SessionGraph } from '../../model/session.ts'
import { type ByteSource, bytesOf, type SessionFiles } from '../../model/source.ts'
import { type GraphReader, graphReader } from '../../session/reading/graph-reader.ts'
import { LargeSession } from './hot-large.ts'
import { HotLogs } from './hot-logs.ts'
import { filesNow, stampOf } from './session-files.ts'

/** Of all sessions that are held together. */
const mostBytes = 64 * 1024 * 1024
/** Larger ones are read by slots; what one of those takes, whatever its size. */
const usualLargeBytes = 24 * 1024 * 1024
const largeWeight = 24 * 1024 * 1024
/** A large one that grew by more than this since it was opened is opened anew. */
const mostNewerBytes = 8 * 1024 * 1024
/** Files are not looked at again within this time. */
const freshMs = 80

/** A session as it is at one moment. */
export interface Reading {
  files: SessionFiles
  stamp: string
  graph: SessionGraph
  reader: GraphReader
}

export interface HotOptions {
  /** Clew's own folder. */
  home: string
  places(): { tree: FileTree; source: ByteSource }
  /** The index, where there is one. */
  db(): Database | null
  /** From so many bytes on a session is read by slots. */
  largeBytes?: number
  /** The files that the index, or a look at the disk, knows; null where there is no such session. */
  find(id: string): Promise<SessionFiles | null>
}

class HotSession {
  private logs = new HotLogs()
  private large: LargeSession | null = null
  private readonly options: HotOptions
  private files: SessionFiles
  private lookedMs = 0
  private made: Reading | null = null
  private work: Promise<unknown> = Promise.resolve()

  constructor(files: SessionFiles, options: HotOptions) {
    this.files = files
    this.options = options
  }

  /** One at a time: who asks while files are read waits for the same reading. */
  reading(): Promise<Reading> {
    const next = this.work.then(() => this.read())
    this.work = next.catch(() => {})
    return next
  }

  async look(): Promise<SessionFiles> {
    const now = performance.now()
    if (now - this.lookedMs < freshMs) return this.files
    const { tree } = this.options.places()
    this.files = await filesNow(this.files, tree)
    this.lookedMs = now
    return this.files
  }

  /** A file was just written: what was looked at before tells nothing. */
  noteWritten(): void {
    this.lookedMs = Number.NEGATIVE_INFINITY
  }

  get weight(): number {
    return this.large === null ? this.logs.bytes : largeWeight
  }

  private async read(): Promise<Reading> {
    const files = await this.look()
    const stamp = stampOf(files)
    if (this.made?.stamp === stamp) return this.made
    const { source } = this.options.places()
    this.made = (await this.readLarge(files, stamp, source)) ?? (await this.readWhole(files, stamp, source))
    return this.made
  }

  private async readWhole(files: SessionFiles, stamp: string, source: ByteSource): Promise<Reading> {
    this.large = null
    const graph = await this.logs.graph(files, source, stamp)
    return { files, stamp, graph, reader: graphReader(graph) }
  }

  private async readLarge(files: SessionFiles, stamp: string, source: ByteSource): Promise<Reading | null> {
    const db = this.options.db()
    if (db === null || bytesOf(files) <= (this.options.largeBytes ?? usualLargeBytes)) return null
    // One that was small so far stays as it is: all of it is there.
    if (this.logs.bytes > 0) return null
    if (this.large !== null && this.large.newerBytes > mostNewerBytes) this.large = null
    this.large ??= await LargeSession.open(db, files, source, { home: this.options.home })
    const reading = (await this.large?.reading(files, stamp, source)) ?? null
    return reading === null ? null : { files, stamp, ...reading }
  }
}

export class HotSessions {
  private readonly options: HotOptions
  /** The longest unused first. */
  private readonly sessions = new Map<string, HotSession>()

  constructor(options: HotOptions) {
    this.options = options
  }

  /** Null where there is no such session. */
  async files(id: string): Promise<SessionFiles | null> {
    const session = await this.session(id)
    return session === null ? null : session.look()
  }

  async reading(id: string): Promise<Reading | null> {
    const session = await this.session(id)
    if (session === null) return null
    const reading = await session.reading()
    this.trim()
    return reading
  }

  noteWritten(id: string): void {
    this.sessions.get(id)?.noteWritten()
  }

  drop(id?: string): void {
    if (id === undefined) this.sessions.clear()
    else this.sessions.delete(id)
  }

  private async session(id: string): Promise<HotSession | null> {
    const known = this.sessions.get(id)
    if (known !== undefined) {
      this.sessions.delete(id)
      this.sessions.set(id, known)
      return known
    }
    const files = await this.options.find(id)
    if (files === null) return null
    const session = this.sessions.get(id) ?? new HotSession(files, this.options)
    this.sessions.set(id, session)
    return session
  }

  /** The one used last stays, however large. */
  private trim(): void {
    let bytes = 0
    for (const { weight } of this.sessions.values()) bytes += weight
    for (const [id, { weight }] of this.sessions) {
      if (bytes <= mostBytes || this.sessions.size <= 1) return
      this.sessions.delete(id)
      bytes -= weight
    }
  }
}
