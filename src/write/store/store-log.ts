// One log of a store as it is appended to: which entries it has already, what others append meanwhile, and one write for each call.
// It opens the file when it is needed and lets it go soon after.

import { statSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { jsonText } from '../../base/json.ts'
import { sessionInUse } from '../../disk/in-use.ts'
import type { LogRecord } from '../../model/record.ts'
import { AppendFile } from '../append-file.ts'
import { Lease } from '../lease.ts'
import type { SessionOps } from '../ops.ts'
import { WriteError } from '../wire/error.ts'
import { type EntryLine, EntryReader, uuidOf } from './entries.ts'

/** What all logs of a store have in common. */
export interface StoreSetting {
  /** The Claude home. */
  home: string
  /** Clew's own folder. */
  clewHome: string
  waitMs: number
  isSynced: boolean
  ops: SessionOps
}

/** After so long without an append the file is closed and its lock's folder is removed. */
const restMs = 150
const pieceBytes = 1024 * 1024

export class StoreLog {
  readonly path: string
  private readonly session: string
  private readonly setting: StoreSetting
  private readonly lease: Lease
  private file: AppendFile | null = null
  /** Of the file that was read, and how far. */
  private identity = ''
  private readTo = 0
  private readonly uuids = new Set<string>()
  /** Entries without a uuid that Claude Code wrote itself, and that were not given to the store yet → how many. */
  private readonly claudes = new Map<string, number>()
  /** Whether Claude Code was seen with this session in this home: it then writes this file itself. */
  private isClaudes = false
  private queue: Promise<unknown> = Promise.resolve()
  private waiting = 0
  private rest: NodeJS.Timeout | undefined

  constructor(path: string, session: string, setting: StoreSetting) {
    this.path = path
    this.session = session
    this.setting = setting
    const { ops, clewHome, waitMs } = setting
    this.lease = new Lease(ops, path, { clewHome, waitMs, what: 'store' })
  }

  get isIdle(): boolean {
    return this.waiting === 0
  }

  /** Appends what is not there yet, in one write, behind what was appended before. */
  append(lines: readonly EntryLine[]): Promise<void> {
    clearTimeout(this.rest)
    this.waiting++
    const done = this.queue.then(() => this.write(lines))
    this.queue = done.catch(() => {}).then(() => this.end())
    return done
  }

  private end(): void {
    this.waiting--
    if (this.isIdle) this.rest = setTimeout(() => this.close(), restMs)
  }

  private close(): void {
    this.file?.close()
    this.file = null
    this.lease.end()
  }

  private async write(lines: readonly EntryLine[]): Promise<void> {
    try {
      await this.tryWrite(lines)
    } catch (error) {
      // Claude Code, which takes no lock, made the file a moment ago.
      if (!(error instanceof WriteError) || error.code !== 'exists') throw error
      this.closeFile()
      await this.tryWrite(lines)
    }
  }

  private async tryWrite(lines: readonly EntryLine[]): Promise<void> {
    await this.readBefore()
    const file = await this.takeLease()
    const fresh = this.missing(lines)
    if (fresh.length === 0) return
    file.append(Buffer.from(fresh.map(({ text }) => `${text}\n`).join('')), this.setting.isSynced)
    for (const { uuid } of fresh) if (uuid !== undefined) this.uuids.add(uuid)
    this.readTo = file.size
    if (this.identity === '') this.identity = identityOf(this.path)
  }

  /** What is in a long file is read before others are kept waiting, with turns for other work between. */
  private async readBefore(): Promise<void> {
    if (this.file !== null) return
    this.noteClaude()
    const file = this.open()
    const reader = new EntryReader(this.path, this.readTo)
    for (let at = this.readTo; at < file.size; at += pieceBytes) {
      this.note(reader.push(file.read(at, Math.min(file.size, at + pieceBytes))))
      await pause()
    }
    this.readTo = reader.readTo
  }

  /** The file, with all that others appended taken note of. */
  private async takeLease(): Promise<AppendFile> {
    const isFresh = !this.lease.isHeld
    if (isFresh) {
      await this.lease.hold()
      this.noteClaude()
    }
    const file = this.upToDate(isFresh)
    this.catchUp(file)
    return file
  }

  private upToDate(isFresh: boolean): AppendFile {
    const { file } = this
    // One that was not there may have been made by now.
    const change = file === null || file.size === 0 ? 'other' : file.look(isFresh)
    if (file === null || change === 'other') return this.open()
    if (change === 'grown') file.grow()
    return file
  }

  private open(): AppendFile {
    this.closeFile()
    const file = new AppendFile(this.setting.ops, this.path, { mayExist: true })
    const size = file.open()
    this.file = file
    const identity = identityOf(this.path)
    if (identity === this.identity && size >= this.readTo) return file
    this.identity = identity
    this.readTo = 0
    this.uuids.clear()
    this.claudes.clear()
    return file
  }

  private closeFile(): void {
    this.file?.close()
    this.file = null
  }

  private catchUp(file: AppendFile): void {
    if (file.size === this.readTo) return
    const reader = new EntryReader(this.path, this.readTo)
    for (let at = this.readTo; at < file.size; at += pieceBytes)
      this.note(reader.push(file.read(at, Math.min(file.size, at + pieceBytes))))
    this.readTo = reader.readTo
    // It may be an entry all the same: the next append ends its line.
    for (const record of reader.end()) this.noteUuid(record)
  }

  private note(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (this.noteUuid(record) || !this.isClaudes) continue
      const text = jsonText(record.value)
      this.claudes.set(text, (this.claudes.get(text) ?? 0) + 1)
    }
  }

  private noteUuid(record: LogRecord): boolean {
    const uuid = uuidOf(record)
    if (uuid !== null) this.uuids.add(uuid)
    return uuid !== null
  }

  private noteClaude(): void {
    if (this.isClaudes || sessionInUse(this.setting.home, this.session) === null) return
    this.isClaudes = true
    // Entries without a uuid were not noted until now.
    this.readTo = 0
    this.closeFile()
  }

  private missing(lines: readonly EntryLine[]): EntryLine[] {
    const added = new Set<string>()
    return lines.filter(({ uuid, text }) => {
      if (uuid === undefined) return !this.takeClaudes(text)
      if (this.uuids.has(uuid) || added.has(uuid)) return false
      added.add(uuid)
      return true
    })
  }

  /** Whether Claude Code wrote it itself; each such line stands for one entry. */
  private takeClaudes(text: string): boolean {
    const count = this.claudes.get(text) ?? 0
    if (count === 0) return false
    if (count === 1) this.claudes.delete(text)
    else this.claudes.set(text, count - 1)
    return true
  }
}

function identityOf(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false })
  return facts === undefined ? '' : `${facts.dev}-${facts.ino}`
}
