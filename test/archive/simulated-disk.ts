// Does the archive's writes for real below one folder and records them by file and folder, not by name, so that a
// power cut can be played afterwards. What a cut leaves is reported in power-cut.ts.

import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { realOps, type WriteOps } from '../../src/files/ops.ts'

/** A file or folder apart from its names. */
export type Node = number

/** The root folder of every image. */
export const rootNode: Node = 0

/** What lay on the disk before the first recorded operation; all of it is sure. */
export interface BaseImage {
  folders: Map<Node, { mode: number; entries: Map<string, Node> }>
  files: Map<Node, { mode: number; bytes: Uint8Array; mtimeMs: number }>
}

/** A change of one name: `node` gets it, or loses it. */
export interface NameChange {
  folder: Node
  name: string
  node: Node
  isGone: boolean
}

export interface MadeNode {
  node: Node
  kind: 'file' | 'folder'
  mode: number
}

/** One recorded operation. */
export type DiskOp =
  /** Changes of one operation happen together; a new node says what it is. */
  | { op: 'names'; call: string; changes: NameChange[]; made?: MadeNode }
  | { op: 'write'; node: Node; bytes: Uint8Array }
  | { op: 'sync'; node: Node }
  | { op: 'syncFolder'; node: Node }
  /** Close, times and modes: nothing here depends on them. */
  | { op: 'other'; call: string }

export interface DiskLog {
  base: BaseImage
  ops: DiskOp[]
}

/** Does everything for real below `root`, and records it. Paths outside of it are an error of the test. */
export class SimulatedDisk implements WriteOps {
  readonly log: DiskLog
  readonly #root: string
  readonly #folders = new Map<Node, Map<string, Node>>()
  readonly #open = new Map<number, Node>()
  #next: Node = 1

  constructor(root: string) {
    this.#root = resolve(root)
    this.log = { base: { folders: new Map(), files: new Map() }, ops: [] }
    this.#readBase(this.#root, rootNode)
  }

  /** How many operations were issued: what was acknowledged by now must survive every later cut. */
  get issued(): number {
    return this.log.ops.length
  }

  create(path: string, mode: number): number {
    const place = this.#place(path)
    const fd = realOps.create(path, mode)
    const node = this.#next++
    this.#open.set(fd, node)
    this.#names('create', [{ ...place, node, isGone: false }], { node, kind: 'file', mode })
    return fd
  }

  write(fd: number, bytes: Uint8Array): void {
    realOps.write(fd, bytes)
    this.log.ops.push({ op: 'write', node: this.#openNode(fd), bytes: bytes.slice() })
  }

  sync(fd: number): void {
    realOps.sync(fd)
    this.log.ops.push({ op: 'sync', node: this.#openNode(fd) })
  }

  close(fd: number): void {
    realOps.close(fd)
    this.#open.delete(fd)
    this.log.ops.push({ op: 'other', call: 'close' })
  }

  rename(from: string, to: string): void {
    realOps.rename(from, to)
    const node = this.#nodeAt(from)
    const old = { ...this.#place(from), node, isGone: true }
    this.#names('rename', [old, { ...this.#place(to), node, isGone: false }])
  }

  link(from: string, to: string): void {
    realOps.link(from, to)
    this.#names('link', [{ ...this.#place(to), node: this.#nodeAt(from), isGone: false }])
  }

  unlink(path: string): void {
    realOps.unlink(path)
    this.#names('unlink', [{ ...this.#place(path), node: this.#nodeAt(path), isGone: true }])
  }

  makeFolder(path: string, mode: number): void {
    realOps.makeFolder(path, mode)
    const place = this.#place(path)
    if (this.#folders.get(place.folder)?.has(place.name)) return
    const node = this.#next++
    this.#folders.set(node, new Map())
    this.#names('makeFolder', [{ ...place, node, isGone: false }], { node, kind: 'folder', mode })
  }

  removeFolder(path: string): void {
    realOps.removeFolder(path)
    this.#names('removeFolder', [{ ...this.#place(path), node: this.#nodeAt(path), isGone: true }])
  }

  syncFolder(path: string): void {
    realOps.syncFolder(path)
    // The folder around the root was there before.
    if (resolve(path) === dirname(this.#root)) return
    this.log.ops.push({ op: 'syncFolder', node: this.#nodeAt(path) })
  }

  setTimes(path: string, atimeMs: number, mtimeMs: number): void {
    realOps.setTimes(path, atimeMs, mtimeMs)
    this.log.ops.push({ op: 'other', call: 'setTimes' })
  }

  setMode(path: string, mode: number): void {
    realOps.setMode(path, mode)
    this.log.ops.push({ op: 'other', call: 'setMode' })
  }

  #names(call: string, changes: NameChange[], made?: MadeNode): void {
    for (const change of changes) applyChange(this.#folders, change)
    this.log.ops.push({ op: 'names', call, changes, ...(made && { made }) })
  }

  #openNode(fd: number): Node {
    const node = this.#open.get(fd)
    if (node === undefined) throw new Error(`descriptor ${fd} was not made by this disk`)
    return node
  }

  #nodeAt(path: string): Node {
    let at = rootNode
    for (const name of relative(this.#root, resolve(path)).split(sep)) {
      if (name === '') continue
      const next = this.#folders.get(at)?.get(name)
      if (next === undefined) throw new Error(`${path} is not on the simulated disk ${this.#root}`)
      at = next
    }
    return at
  }

  #place(path: string): { folder: Node; name: string } {
    const whole = resolve(path)
    return { folder: this.#nodeAt(dirname(whole)), name: whole.slice(whole.lastIndexOf(sep) + 1) }
  }

  #readBase(path: string, node: Node): void {
    const entries = new Map<string, Node>()
    const { mode } = lstatSync(path)
    this.log.base.folders.set(node, { mode, entries })
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const child = this.#next++
      const childPath = join(path, entry.name)
      entries.set(entry.name, child)
      if (entry.isDirectory()) this.#readBase(childPath, child)
      else {
        const { mode, mtimeMs } = lstatSync(childPath)
        this.log.base.files.set(child, { mode, mtimeMs, bytes: readFileSync(childPath) })
      }
    }
    this.#folders.set(node, new Map(entries))
  }
}

export function applyChange(folders: Map<Node, Map<string, Node>>, { folder, name, node, isGone }: NameChange): void {
  const entries = folders.get(folder)
  if (!isGone) entries?.set(name, node)
  else if (entries?.get(name) === node) entries.delete(name)
}
