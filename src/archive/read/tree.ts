// A tree of what is on disk together with what was archived and is there no more: `discover` walks it and finds deleted sessions
// as if their files were still there. A live file always hides what is archived of it.

import { dirname, join, resolve, sep } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { diskTree, type Entry, type FileTree, type FoundFile, type TreeStat } from '../../disk/discover/tree.ts'
import { FileError } from '../../files/error.ts'
import { canonicalPlace, FolderPlaces, placeOf } from '../../files/place.ts'
import type { ByteSource, LogFile, SessionFiles } from '../../model/source.ts'
import { currentOf, type Generation } from '../format/catalog.ts'
import { incompleteText, isIncomplete } from '../format/manifest.ts'
import { Archive } from '../store/archive.ts'
import { archivedGeneration, archivedId, archiveSource } from './source.ts'

/** What a tree with the archive in it shows. */
export interface ArchiveTreeOptions {
  source: ByteSource
  /** False: only what is archived, whatever is on disk. */
  isLive?: boolean
  /** What is on disk. */
  live?: FileTree
  /** Which generation of a file is shown; the current one where nothing is said. */
  choose?: (generations: readonly Generation[]) => Generation | undefined
  /** Called with why the manifest cannot be read; then only what is on disk is shown. Without it, the error is thrown. */
  onBroken?: (error: unknown) => void
}

/** The tree to give to `discover`. */
export function archiveTree(archive: Archive, options: ArchiveTreeOptions): FileTree {
  return new ArchiveTree(archive, options)
}

/** An archived file, or the names in a folder of archived files. */
type Node = { generation: Generation } | { names: Set<string> }

class ArchiveTree implements FileTree {
  readonly source: ByteSource
  private readonly archive: Archive
  private readonly isLive: boolean
  private readonly live: FileTree
  private readonly choose: (generations: readonly Generation[]) => Generation | undefined
  private readonly onBroken: ((error: unknown) => void) | undefined
  private readonly places = new FolderPlaces()
  /** By place. */
  private readonly earlier = new Map<string, number>()
  private nodes: Map<string, Node> | null = null

  constructor(archive: Archive, options: ArchiveTreeOptions) {
    this.archive = archive
    this.source = options.source
    this.isLive = options.isLive ?? true
    this.live = options.live ?? diskTree
    this.choose = options.choose ?? currentOf
    this.onBroken = options.onBroken
  }

  async list(folder: string): Promise<Entry[]> {
    const live = await this.liveList(folder)
    const archived = this.at(folder)
    if (archived === undefined || !('names' in archived)) {
      if (live === null) throw missing(folder)
      return live
    }
    const entries = new Map((live ?? []).map(entry => [entry.name, entry]))
    for (const name of archived.names) {
      if (!entries.has(name))
        entries.set(name, { name, path: join(folder, name), kind: this.kindAt(join(folder, name)) })
    }
    return [...entries.values()]
  }

  stat(path: string): TreeStat {
    if (this.isLive) {
      try {
        return this.withEarlier(path, this.live.stat(path))
      } catch (error) {
        if (!isMissing(error)) throw error
        const archived = this.archivedStat(path)
        if (archived === null) throw error
        return archived
      }
    }
    const archived = this.archivedStat(path)
    if (archived === null) throw missing(path)
    return archived
  }

  isLink(path: string): boolean {
    return this.isLive && this.live.isLink(path)
  }

  known(file: FoundFile) {
    const id = archivedId(file.generation)
    return id === null ? undefined : this.archive.manifest.catalog.generations.get(id)?.facts
  }

  /** Few files had another content before: only their places are looked up. */
  private withEarlier(path: string, found: TreeStat): TreeStat {
    this.nodes ??= this.tryBuild()
    if (found.kind !== 'file' || this.earlier.size === 0) return found
    const earlier = this.earlier.get(this.canonical(path))
    return earlier === undefined ? found : { ...found, earlier }
  }

  private archivedStat(path: string): TreeStat | null {
    const node = this.at(path)
    if (node === undefined) return null
    if ('names' in node) return { kind: 'folder', key: `archived ${canonicalPlace(path)}` }
    const { id, size, modifiedMs } = node.generation
    const earlier = this.earlier.get(placeOf(node.generation))
    const file = { kind: 'file', size, modifiedMs, generation: archivedGeneration(id), isArchiveOnly: true } as const
    return earlier === undefined ? file : { ...file, earlier }
  }

  private async liveList(folder: string): Promise<Entry[] | null> {
    if (!this.isLive) return null
    try {
      return await this.live.list(folder)
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  private kindAt(path: string): Entry['kind'] {
    const node = this.at(path)
    return node !== undefined && 'names' in node ? 'folder' : 'file'
  }

  private at(path: string): Node | undefined {
    this.nodes ??= this.tryBuild()
    if (this.nodes.size === 0) return undefined
    return this.nodes.get(this.canonical(path))
  }

  private canonical(path: string): string {
    // A folder that became a link since still hides what was archived in it.
    const literal = resolve(path)
    if (this.nodes?.has(literal)) return literal
    const spelled = this.places.of(path)
    // An archived name hides no link; any other may be one.
    return this.nodes?.has(spelled) ? spelled : canonicalPlace(path)
  }

  private tryBuild(): Map<string, Node> {
    try {
      const nodes = this.build()
      this.reportDamage()
      return nodes
    } catch (error) {
      if (this.onBroken === undefined) throw error
      this.onBroken(error)
      return new Map()
    }
  }

  /** What a damaged manifest lost is missing from the tree. */
  private reportDamage(): void {
    const isLost = this.archive.exists && isIncomplete(this.archive.manifest)
    if (isLost) this.onBroken?.(new FileError('damaged-manifest', incompleteText))
  }

  private build(): Map<string, Node> {
    const nodes = new Map<string, Node>()
    if (!this.archive.exists) return nodes
    for (const generations of this.archive.manifest.catalog.files()) {
      const generation = this.choose(generations)
      if (generation === undefined) continue
      const place = placeOf(generation)
      // Where a folder took a file's place, or the other way round, the folder is shown: it hides one file, not many.
      if (!nodes.has(place)) nodes.set(place, { generation })
      addNames(nodes, place, generation.home)
      const before = generations.filter(({ origin, number }) => origin === undefined && number < generation.number)
      if (before.length > 0) this.earlier.set(place, before.length)
    }
    return nodes
  }
}

/** Every folder from a file up to its home learns the name below it. */
function addNames(nodes: Map<string, Node>, place: string, home: string): void {
  for (let at = place; at !== home; ) {
    const above = dirname(at)
    const name = at.slice(above.endsWith(sep) ? above.length : above.length + 1)
    const node = nodes.get(above)
    if (node === undefined || !('names' in node)) nodes.set(above, { names: new Set([name]) })
    else if (node.names.has(name)) return
    else node.names.add(name)
    if (above === at) return
    at = above
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: nothing is archived at ${path}`), { code: 'ENOENT' })
}

interface ArchiveView {
  archive: Archive
  tree: FileTree
  source: ByteSource
}

/** An archive that cannot be read hides nothing: `onProblem` is called, and what is on disk is shown. */
export function openArchiveView(place: string | Archive, onProblem: (message: string) => void = () => {}): ArchiveView {
  const archive = typeof place === 'string' ? new Archive(place) : place
  const source = archiveSource(archive)
  const onBroken = (error: unknown) => {
    if (!(error instanceof FileError)) throw error
    onProblem(error.message)
  }
  return { archive, tree: archiveTree(archive, { source, onBroken }), source }
}

/** What is archived, with the generation of that number of every file that has one. */
export function generationTree(archive: Archive, source: ByteSource, number: number): FileTree {
  return archiveTree(archive, {
    source,
    isLive: false,
    choose: generations => generations.find(generation => generation.number === number) ?? currentOf(generations),
  })
}

/** The homes that anything is archived of, without those that are named already. */
export function archivedHomePaths(archive: Archive, without: readonly string[]): string[] {
  const named = new Set(without.map(canonicalPlace))
  try {
    return [...archive.manifest.catalog.homes()].filter(home => !named.has(resolve(home))).sort()
  } catch (error) {
    // The tree reports it when it is walked.
    if (error instanceof FileError) return []
    throw error
  }
}

/** Whether the archive has all logs of a session, as far as size and time show. */
export function coverageOf(archive: Archive): (session: SessionFiles) => boolean {
  let byPlace: Map<string, Generation> | null = null
  const covers = (log: LogFile) => {
    if (log.isArchiveOnly === true) return true
    byPlace ??= currentByPlace(archive)
    const archived = byPlace.get(canonicalPlace(log.path))
    return archived !== undefined && archived.size === log.size && Math.abs(archived.modifiedMs - log.modifiedMs) <= 1
  }
  return ({ logs, side }) => {
    if (logs.length === 0) return side.length > 0 && side.every(file => file.isArchiveOnly === true)
    try {
      return logs.every(covers)
    } catch (error) {
      // An archive that cannot be read is reported by the walk over its tree.
      if (error instanceof FileError) return false
      throw error
    }
  }
}

/** Current generations that are not broken. */
function currentByPlace(archive: Archive): Map<string, Generation> {
  const found = new Map<string, Generation>()
  if (!archive.exists) return found
  const { catalog } = archive.manifest
  for (const [first] of catalog.files()) {
    const current = first === undefined ? undefined : catalog.current(first.home, first.path)
    if (current !== undefined && !catalog.broken.has(current.id)) found.set(placeOf(current), current)
  }
  return found
}
