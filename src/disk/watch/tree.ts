// The watched folders and their logs, compared with the disk in short slices of work, so that nothing else waits.

import { type Dirent, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { holdsArtifacts, holdsLog, type Place, type PlaceEntry, placeBelow, placeOfRoot } from './place.ts'
import { Births, type FileState, folderKey, isAsKnown, isLink, look, stateOf } from './state.ts'

/** One piece of work: it yields often, and may be gone on with much later. */
export type Job = Generator<void, void>

interface Waiting {
  job: Job
  costMs: number
  done(costMs: number): void
}

// Nothing else runs during a slice.
const sliceMs = 4
// Between two slices of background work.
const pauseMs = 4

/** Runs jobs in order, urgent ones before others. */
export class Work {
  private readonly urgent: Waiting[] = []
  private readonly patient: Waiting[] = []
  private timer: NodeJS.Timeout | undefined
  private immediate: NodeJS.Immediate | undefined
  private isClosed = false

  /** Resolves with the milliseconds that the job ran, also when it is given up because of `close`. */
  add(job: Job, isUrgent: boolean): Promise<number> {
    if (this.isClosed) return Promise.resolve(0)
    return new Promise(done => {
      const queue = isUrgent ? this.urgent : this.patient
      queue.push({ job, costMs: 0, done })
      this.plan()
    })
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    clearImmediate(this.immediate)
    for (const { job, costMs, done } of [...this.urgent, ...this.patient]) {
      job.return()
      done(costMs)
    }
    this.urgent.length = 0
    this.patient.length = 0
  }

  private plan(): void {
    if (this.isClosed) return
    if (this.urgent.length > 0) {
      this.immediate ??= setImmediate(() => {
        this.immediate = undefined
        this.slice(this.urgent)
      })
    }
    if (this.patient.length > 0) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined
        this.slice(this.patient)
      }, pauseMs)
    }
  }

  private slice(queue: Waiting[]): void {
    const end = performance.now() + sliceMs
    for (let now = performance.now(); now < end && !this.isClosed; ) {
      const first = queue[0]
      if (first === undefined) break
      const isDone = first.job.next().done === true
      const after = performance.now()
      first.costMs += after - now
      now = after
      if (!isDone) continue
      // Closing empties the queue while the job runs.
      if (queue[0] === first) queue.shift()
      first.done(first.costMs)
    }
    this.plan()
  }
}

/** One root as it was named, whether there is anything or not. */
export interface Root {
  path: string
  folder: Folder | null
  /** Not known yet what it is: looked at again whenever its content changes. */
  isGuess: boolean
  /** Its folders, since links may lead to one of them again. */
  byKey: Map<string, Folder>
}

export interface Folder {
  path: string
  name: string
  place: Place
  root: Root
  parent: Folder | null
  folders: Map<string, Folder>
  files: Map<string, FileState>
  key: string
  device: number
  birthMs: number
  /** When its list of names last changed, as it was when they were listed; NaN before. */
  modifiedMs: number
  /** It was listed long enough after that change: clocks of file systems are coarse. */
  isSettled: boolean
  /** When anything in it last changed. */
  activeMs: number
  /** It is still watched. */
  isOpen: boolean
  isLink: boolean
}

export interface TreeHooks {
  /** A folder was found. It is listed after this, so that nothing is missed in between. */
  onFolder(folder: Folder): void
  onDrop(folder: Folder): void
  /** A file was found, changed or went; `isQuiet` while everything is looked at for the first time. */
  onFile(folder: Folder, name: string, before: FileState | null, after: FileState | null, isQuiet: boolean): void
  onUnreadable(kind: 'file' | 'folder', path: string, code: string): void
}

// No file system keeps time coarser than in two seconds.
const settledMs = 2_100
// Looks between two chances to pause.
const looksAtOnce = 16

export class WatchTree {
  readonly roots: readonly Root[]
  readonly births = new Births()
  readonly folders = new Set<Folder>()
  fileCount = 0
  private readonly hooks: TreeHooks
  private looks = 0

  constructor(roots: readonly string[], hooks: TreeHooks) {
    this.hooks = hooks
    this.roots = [...new Set(roots)].map(path => ({ path, folder: null, isGuess: false, byKey: new Map() }))
  }

  /** Begins with roots that were not there, or not yet looked at. */
  *openRoots(isQuiet: boolean): Job {
    for (const root of this.roots) {
      if (root.folder !== null) continue
      const folder = this.openRoot(root)
      if (folder !== null) yield* this.explore([folder], isQuiet)
    }
  }

  /** Lists folders, and those found in them, to any depth. */
  *explore(found: readonly Folder[], isQuiet: boolean): Job {
    const waiting = [...found]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (folder.isOpen) yield* this.list(folder, isQuiet, waiting)
    }
  }

  /** Compares a folder with what is known: names only where its time says so, every file by one look. */
  *check(folder: Folder, files: 'all' | { since: number } = 'all'): Job {
    const stat = this.confirm(folder)
    if (stat === null) {
      const { parent, name } = folder
      if (!folder.isOpen && parent !== null) yield* this.explore(this.refresh(parent, name), false)
      return
    }
    if (stat.mtimeMs !== folder.modifiedMs || !folder.isSettled) return yield* this.explore([folder], false)
    for (const [name, state] of [...folder.files]) {
      if (files !== 'all' && state.modifiedMs < files.since) continue
      this.lookAtFile(folder, name, false)
      if (this.isPauseDue()) yield
      if (!folder.isOpen) return
    }
    yield
  }

  /** Looks at one name of a folder; gives the folders that are new by it, to be explored. */
  refresh(folder: Folder, name: string): Folder[] {
    if (!folder.isOpen) return []
    // What a root is may depend on any name in it.
    if (folder.parent === null && folder.root.isGuess) return [folder]
    const stat = this.tryLook(folder, name)
    if (stat === null) return []
    const child = folder.folders.get(name)
    if (stat?.isDirectory() === true) {
      this.setFile(folder, name, null, false)
      const place = placeBelow(folder.place, name)
      if (place === null) return []
      // Whether the folder is a session's at all depends on everything in it.
      if (folder.place.kind === 'session' && child === undefined) return [folder]
      const found: Folder[] = []
      this.addFolder(folder, name, stat, place, found)
      return found
    }
    if (child !== undefined) this.drop(child)
    this.updateFile(folder, name, stat, false)
    return []
  }

  /** Whether the folder is still the one that was found; else it is dropped. What is there now is not looked at. */
  confirm(folder: Folder): Stats | null {
    if (!folder.isOpen) return null
    let stat: Stats | undefined
    try {
      stat = look(folder.path)
    } catch (error) {
      this.hooks.onUnreadable('folder', folder.path, errorCode(error))
      return null
    }
    if (stat?.isDirectory() === true && this.isSameFolder(folder, stat)) return stat
    this.drop(folder)
    return null
  }

  private openRoot(root: Root): Folder | null {
    let stat: Stats | undefined
    try {
      stat = look(root.path)
    } catch (error) {
      this.hooks.onUnreadable('folder', root.path, errorCode(error))
    }
    if (stat === undefined) return null
    if (stat.isDirectory()) {
      const { place, up, isGuess = false } = this.choose(root.path)
      root.isGuess = isGuess
      return this.begin(root, up === 0 ? root.path : join(root.path, ...Array<string>(up).fill('..')), place)
    }
    return stat.isFile() ? this.begin(root, dirname(root.path), { kind: 'file', name: basename(root.path) }) : null
  }

  private choose(root: string) {
    return placeOfRoot(root, this.names(root) ?? [], name => this.names(join(root, name)) ?? [])
  }

  private begin(root: Root, path: string, place: Place): Folder | null {
    const stat = look(path)
    if (stat?.isDirectory() !== true) return null
    root.folder = this.makeFolder(
      { path, name: basename(resolve(path)), place, root, parent: null, isLink: false },
      stat,
    )
    return root.folder
  }

  private *list(folder: Folder, isQuiet: boolean, found: Folder[]): Job {
    const stat = this.confirm(folder)
    if (stat === null) return
    const entries = this.names(folder.path)
    // What was known of an unreadable folder stays.
    if (entries === null) return
    if (this.isOtherwise(folder)) {
      const again = this.openRoot(folder.root)
      if (again !== null) found.push(again)
      return
    }
    folder.modifiedMs = stat.mtimeMs
    folder.isSettled = Date.now() - stat.mtimeMs > settledMs
    const isFollowed = folder.place.kind !== 'session' || this.isSessionFolder(folder, entries)
    const names = new Set(isFollowed ? entries.map(entry => entry.name) : [])
    for (const name of [...folder.files.keys()]) if (!names.has(name)) this.setFile(folder, name, null, isQuiet)
    for (const [name, child] of [...folder.folders]) if (!names.has(name)) this.drop(child)
    if (isFollowed) yield* this.lookAtEntries(folder, entries, isQuiet, found)
    yield
  }

  private *lookAtEntries(folder: Folder, entries: readonly ListedEntry[], isQuiet: boolean, found: Folder[]): Job {
    for (const { name, isFolder, isLink } of entries) {
      if (isFolder || !holdsLog(folder.place, name)) continue
      this.lookAtFile(folder, name, isQuiet, isLink)
      if (this.isPauseDue()) yield
      if (!folder.isOpen) return
    }
    // Real folders before links to them.
    for (const wantsLinks of [false, true]) {
      for (const { name, isFile, isLink } of entries) {
        if (isFile || isLink !== wantsLinks || folder.files.has(name)) continue
        const place = placeBelow(folder.place, name)
        const stat = place === null ? null : this.tryLook(folder, name)
        if (place !== null && stat?.isDirectory() === true) this.addFolder(folder, name, stat, place, found, isLink)
        if (this.isPauseDue()) yield
        if (!folder.isOpen) return
      }
    }
  }

  /** A root that was guessed to be one thing and now turns out to be another is started over. */
  private isOtherwise({ root, parent, place }: Folder): boolean {
    if (parent !== null || !root.isGuess || root.folder === null) return false
    const now = this.choose(root.path)
    root.isGuess = now.isGuess === true
    if (now.up === 0 && now.place.kind === place.kind) return false
    this.drop(root.folder)
    return true
  }

  /** Any folder may lie in a project; only one that is a session's is followed. */
  private isSessionFolder(folder: Folder, entries: readonly ListedEntry[]): boolean {
    return holdsArtifacts(entries) || folder.parent?.files.has(`${folder.name}.jsonl`) === true
  }

  private names(folder: string): ListedEntry[] | null {
    let entries: Dirent[]
    try {
      entries = readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.hooks.onUnreadable('folder', folder, code)
      return null
    }
    return entries.map(entry => ({
      name: entry.name,
      isFile: entry.isFile(),
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }))
  }

  private lookAtFile(folder: Folder, name: string, isQuiet: boolean, isLink?: boolean): void {
    const stat = this.tryLook(folder, name)
    if (stat !== null) this.updateFile(folder, name, stat, isQuiet, isLink)
  }

  private updateFile(folder: Folder, name: string, stat: Stats | undefined, isQuiet: boolean, isLink?: boolean): void {
    const known = folder.files.get(name)
    if (stat?.isFile() !== true || !holdsLog(folder.place, name)) {
      this.setFile(folder, name, null, isQuiet)
      return
    }
    this.births.learn(stat)
    if (known !== undefined && isAsKnown(known, stat)) return
    this.setFile(folder, name, stateOf(join(folder.path, name), stat, known, isLink), isQuiet)
  }

  private setFile(folder: Folder, name: string, after: FileState | null, isQuiet: boolean): void {
    const before = folder.files.get(name) ?? null
    if (after === null) {
      if (before === null) return
      folder.files.delete(name)
      this.fileCount--
    } else {
      folder.files.set(name, after)
      if (before === null) this.fileCount++
    }
    this.hooks.onFile(folder, name, before, after, isQuiet)
  }

  /** undefined: nothing is there. null: unknown, and what was known stays. */
  private tryLook(folder: Folder, name: string): Stats | undefined | null {
    const path = join(folder.path, name)
    try {
      return look(path)
    } catch (error) {
      const code = errorCode(error)
      // To look at a name takes no right to what it names, only one to its folder. And it may be no name in it: a change of the
      // folder itself comes with the folder's own.
      if (code === 'EACCES') this.hooks.onUnreadable('folder', folder.path, code)
      else this.hooks.onUnreadable('file', path, code)
      return null
    }
  }

  private addFolder(
    parent: Folder,
    name: string,
    stat: Stats,
    place: Place,
    found: Folder[],
    isKnownLink?: boolean,
  ): void {
    const path = join(parent.path, name)
    const key = folderKey(path, stat)
    const child = parent.folders.get(name)
    if (child !== undefined) {
      if (this.isSameFolder(child, stat)) return
      this.drop(child)
    }
    const { root } = parent
    const other = root.byKey.get(key)
    // It may have been moved here from where it is known to be.
    if (other !== undefined && this.confirm(other) !== null) return
    found.push(this.makeFolder({ path, name, place, root, parent, isLink: isKnownLink ?? isLink(path) }, stat))
  }

  private isSameFolder({ path, key, birthMs }: Folder, stat: Stats): boolean {
    return folderKey(path, stat) === key && this.births.areEqual(stat.dev, stat.birthtimeMs, birthMs)
  }

  private makeFolder(at: Pick<Folder, 'path' | 'name' | 'place' | 'root' | 'parent' | 'isLink'>, stat: Stats): Folder {
    this.births.learn(stat)
    const key = folderKey(at.path, stat)
    const folder: Folder = {
      ...at,
      key,
      device: stat.dev,
      birthMs: stat.birthtimeMs,
      folders: new Map(),
      files: new Map(),
      modifiedMs: Number.NaN,
      isSettled: false,
      activeMs: stat.mtimeMs,
      isOpen: true,
    }
    at.root.byKey.set(key, folder)
    at.parent?.folders.set(at.name, folder)
    this.folders.add(folder)
    this.hooks.onFolder(folder)
    return folder
  }

  /** Forgets a folder with everything below; its files are reported as gone. */
  private drop(top: Folder): void {
    const waiting = [top]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (!folder.isOpen) continue
      folder.isOpen = false
      waiting.push(...folder.folders.values())
      if (folder.root.byKey.get(folder.key) === folder) folder.root.byKey.delete(folder.key)
      this.folders.delete(folder)
      this.hooks.onDrop(folder)
      for (const name of [...folder.files.keys()]) this.setFile(folder, name, null, false)
    }
    if (top.parent?.folders.get(top.name) === top) top.parent.folders.delete(top.name)
    if (top.root.folder === top) top.root.folder = null
  }

  private isPauseDue(): boolean {
    this.looks++
    return this.looks % looksAtOnce === 0
  }
}

interface ListedEntry extends PlaceEntry {
  isFolder: boolean
  isLink: boolean
}
