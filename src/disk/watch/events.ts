// Receives events of the operating system for changed folders, and knows which folders have to be looked at again
// and again because it cannot. What an event means is decided elsewhere.

import { type FSWatcher, readFileSync, statfsSync, watch } from 'node:fs'
import { errorCode } from '../../base/error-code.ts'
import { isOfOneSession } from './place.ts'
import type { Folder } from './tree.ts'

export interface EventHooks {
  /** `name` is relative to the folder, maybe several folders deep; null where the platform does not say. */
  onEvent(folder: Folder, name: string | null, isListChange: boolean): void
  /** Why some or all folders are polled; said once each. */
  onPolling(message: string): void
}

export interface EventOptions {
  isPolling: boolean
  /** Whether one watch serves a whole tree, as the platforms other than Linux can. */
  isDeep: boolean
}

interface Watched {
  watcher: FSWatcher
  isDeep: boolean
}

// Each costs the kernel about a kilobyte, and all programs of a user share the limit.
const mostWatches = 4_096

export class FolderEvents {
  /** Folders that are polled. */
  readonly polled = new Set<Folder>()
  private readonly hooks: EventHooks
  private readonly isDeep: boolean
  private isPolling: boolean
  private limit: number
  private readonly lasting = new Map<Folder, Watched>()
  /** Those of single sessions, the longest unused first: they give way to others. */
  private readonly passing = new Map<Folder, Watched>()
  private readonly heard = new Set<number>()
  private readonly devices = new Map<number, 'events' | 'polling'>()
  private readonly said = new Set<string>()

  constructor(options: EventOptions, hooks: EventHooks) {
    this.hooks = hooks
    this.isDeep = options.isDeep
    this.isPolling = options.isPolling
    this.limit = options.isPolling ? 0 : watchLimit()
  }

  get count(): number {
    return this.lasting.size + this.passing.size
  }

  /** Whether changes in the folder are noticed without a sweep. True where it is polled. */
  isWatched(folder: Folder): boolean {
    return this.polled.has(folder) || this.hasEvents(folder)
  }

  hasEvents(folder: Folder): boolean {
    if (this.lasting.has(folder) || this.passing.has(folder)) return true
    if (!this.isDeep || folder.isLink) return false
    for (let above = folder.parent; above !== null; above = above.parent) {
      if ((this.lasting.get(above) ?? this.passing.get(above))?.isDeep === true) return true
      if (above.isLink) return false
    }
    return false
  }

  /** `isWanted`: others may give way for it. */
  open(folder: Folder, isWanted: boolean): void {
    if (this.isWatched(folder)) return
    if (this.isPolling || this.modeOf(folder) === 'polling') {
      this.polled.add(folder)
      return
    }
    if (this.count >= this.limit && !this.evictFor(folder, isWanted)) return
    const isDeep = this.isDeep && folder.place.kind !== 'home' && folder.place.kind !== 'file'
    try {
      const watcher = watch(folder.path, { recursive: isDeep }, (type, name) => {
        this.heard.add(folder.device)
        if (this.passing.has(folder)) this.use(folder)
        this.hooks.onEvent(folder, name, type === 'rename' || isDeep)
      })
      watcher.on('error', error => this.fail(folder, error))
      const kept = isOfOneSession(folder.place) ? this.passing : this.lasting
      kept.set(folder, { watcher, isDeep })
    } catch (error) {
      this.fail(folder, error)
    }
  }

  close(folder: Folder): void {
    this.polled.delete(folder)
    for (const kept of [this.lasting, this.passing]) {
      kept.get(folder)?.watcher.close()
      kept.delete(folder)
    }
  }

  closeAll(): void {
    for (const folder of [...this.lasting.keys(), ...this.passing.keys()]) this.close(folder)
    this.polled.clear()
  }

  /** Gives up those of single sessions that were not written to since. */
  closeIdle(sinceMs: number): void {
    for (const folder of [...this.passing.keys(), ...this.polled]) {
      if (isOfOneSession(folder.place) && folder.activeMs < sinceMs) this.close(folder)
    }
  }

  /** A change was found without an event: where none ever came, none will. */
  missed(folder: Folder): void {
    if (this.heard.has(folder.device) || !this.hasEvents(folder)) return
    this.devices.set(folder.device, 'polling')
    for (const other of [...this.lasting.keys(), ...this.passing.keys()]) {
      if (other.device === folder.device) this.poll(other)
    }
    this.poll(folder)
    this.say('The file system reports no changes; polling instead.')
  }

  private poll(folder: Folder): void {
    this.close(folder)
    this.polled.add(folder)
  }

  /** Changes on another machine make no events here. */
  private modeOf(folder: Folder): 'events' | 'polling' {
    let mode = this.devices.get(folder.device)
    if (mode === undefined) {
      mode = isRemote(folder.path) ? 'polling' : 'events'
      this.devices.set(folder.device, mode)
      if (mode === 'polling') this.say('A folder on a network reports no changes; polling instead.')
    }
    return mode
  }

  private evictFor(folder: Folder, isWanted: boolean): boolean {
    if (!isWanted && isOfOneSession(folder.place)) return false
    const [oldest] = this.passing.keys()
    if (oldest !== undefined) {
      this.close(oldest)
      return true
    }
    this.polled.add(folder)
    return false
  }

  private use(folder: Folder): void {
    const kept = this.passing.get(folder)
    if (kept === undefined) return
    this.passing.delete(folder)
    this.passing.set(folder, kept)
  }

  private fail(folder: Folder, error: unknown): void {
    const code = errorCode(error)
    this.close(folder)
    // It is gone or not readable: the next listing shows that.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || !folder.isOpen) return
    // On Windows, a watched folder that is deleted fails like this.
    if (code === 'EPERM' && this.isDeep && this.count > 0) return
    this.polled.add(folder)
    if (code === 'ENOSPC' && this.count > 0) {
      this.limit = this.count
      this.say('The limit of watched folders is reached; the others are looked at again and again.')
      return
    }
    this.isPolling = true
    for (const other of [...this.lasting.keys(), ...this.passing.keys()]) this.poll(other)
    this.say(`Folders cannot be watched (${code}); they are looked at again and again instead.`)
  }

  private say(message: string): void {
    if (this.said.has(message)) return
    this.said.add(message)
    this.hooks.onPolling(message)
  }
}

/** Half of what a user may have on Linux; elsewhere a few watches serve for all. */
function watchLimit(): number {
  if (process.platform !== 'linux') return mostWatches
  try {
    const limit = Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'))
    return Number.isFinite(limit) ? Math.min(mostWatches, Math.floor(limit / 2)) : mostWatches
  } catch {
    return mostWatches
  }
}

// What Linux calls NFS, SMB (three times), CIFS, 9P (Windows drives inside WSL), AFS, Ceph, Coda, VirtualBox folders.
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x5346414f, 0x00c36400, 0x73757245, 0x786f4256,
])

function isRemote(path: string): boolean {
  if (process.platform !== 'linux') return /^[\\/]{2}[^\\/?.]/.test(path)
  try {
    return remoteTypes.has(statfsSync(path).type >>> 0)
  } catch {
    return false
  }
}
