// The content of the archive, in memory: where frames are and which frames make up which generation. It is read from the
// lines of the manifest and gives lines for the next segment; it touches no file.

import { randomBytes } from 'node:crypto'
import { asArray, asNumber, asString, isObject, type JsonObject } from '../../base/json.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'

/** Where the bytes of a frame are stored. */
export interface FramePlace {
  pack: string
  /** First byte in the pack. */
  at: number
  /** Length in the pack. */
  stored: number
  /** Length unpacked. */
  bytes: number
  /** Keys that a later version wrote, as they were. */
  more?: JsonObject
}

/** An id that no other generation has. */
export function newGenerationId(): string {
  return randomBytes(8).toString('hex')
}

/** One continuous life of one file's content. */
export interface Generation {
  id: string
  /** 1 for the first that was archived of this file. */
  number: number
  /** The Claude home (or other root) it is in: an absolute path. */
  home: string
  /** Where it is in the home, with `/` on all platforms; the last known place of a file that was moved. */
  path: string
  size: number
  /** Last change of the file, milliseconds since 1970. */
  modifiedMs: number
  /** Permission bits. */
  mode: number
  /** When bytes of it were last archived, milliseconds since 1970. */
  archivedMs: number
  /** Bytes before this are in frames with final borders; what follows are pieces that later frames replace. */
  closed: number
  frames: string[]
  /** Device, inode and birth of the file, for recognising it when it was moved. */
  identity?: string
  /** What its head says about its session, so that lists need not unpack it. */
  facts?: FileFacts
  /** Where it came from, if not from the home itself: the folder that was imported. */
  origin?: string
  /** Keys that a later version wrote, as they were. */
  more?: JsonObject
}

/** Stands among the frames of a generation where some are not known any more: what follows cannot be placed. */
export const lostFrames = 'lost'

/** A file of a home, as a key. Neither part can have a NUL. */
export function fileKey(home: string, path: string): string {
  return `${home}\0${path}`
}

export class Catalog {
  readonly frames = new Map<string, FramePlace>()
  readonly generations = new Map<string, Generation>()
  readonly forgotten = new Set<string>()
  /** Files that belonged to forgotten sessions alone and do not have their names, by path from their home: pasted texts. */
  readonly forgottenFiles = new Map<string, string>()
  /** Generations whose lines are incomplete: something before was lost. */
  readonly broken = new Set<string>()
  /** Lines of a later Clew that say something else: they are handed on. */
  readonly others: JsonObject[] = []
  /** By home and path. */
  private readonly byFile = new Map<string, Map<string, Generation[]>>()
  /** Until a generation comes, goes or changes. */
  private live: ReadonlySet<string> | null = null
  /** Answers that were given: a file with many generations is looked up once for each. */
  private readonly currents = new Map<readonly Generation[], Generation>()

  /** All generations of a file, the first archived first. */
  of(home: string, path: string): readonly Generation[] {
    return this.byFile.get(home)?.get(path) ?? []
  }

  /** The one that the file is in now, or was in when it was last seen. */
  current(home: string, path: string): Generation | undefined {
    const generations = this.of(home, path)
    if (generations.length < 2) return generations[0]
    const known = this.currents.get(generations)
    if (known !== undefined) return known
    const found = currentOf(generations)
    if (found !== undefined) this.currents.set(generations, found)
    return found
  }

  /** Each file once, with its generations. */
  *files(): Generator<readonly Generation[]> {
    for (const files of this.byFile.values()) yield* files.values()
  }

  homes(): Set<string> {
    const homes = new Set<string>()
    for (const generation of this.generations.values()) homes.add(generation.home)
    return homes
  }

  /** Adds a generation, or puts a changed one in the place of the one with its id. */
  put(generation: Generation): void {
    this.live = null
    this.takeFromFile(generation.id)
    this.generations.set(generation.id, generation)
    const { home, path } = generation
    const files = this.byFile.get(home) ?? new Map<string, Generation[]>()
    this.byFile.set(home, files)
    const list = files.get(path)
    if (list === undefined) {
      files.set(path, [generation])
      return
    }
    this.currents.delete(list)
    // From the end, since the last archived mostly comes last: a file may have many.
    list.splice(list.findLastIndex(other => other.number <= generation.number) + 1, 0, generation)
  }

  drop(id: string): void {
    this.live = null
    this.takeFromFile(id)
    this.generations.delete(id)
    this.broken.delete(id)
  }

  /** Frames that some generation needs. */
  liveFrames(): ReadonlySet<string> {
    if (this.live !== null) return this.live
    const live = new Set<string>()
    for (const { frames } of this.generations.values()) for (const frame of frames) live.add(frame)
    this.live = live
    return live
  }

  /** Takes in one line of the manifest; one that makes no sense is left out. */
  see(line: JsonObject): void {
    const frame = asString(line['frame'])
    if (frame !== undefined) this.seeFrame(frame, line)
    const generation = asString(line['generation'])
    if (generation !== undefined) this.seeGeneration(generation, line)
    const forgotten = asString(line['forgotten'])
    if (forgotten !== undefined) this.forgotten.add(forgotten)
    const remembered = asString(line['remembered'])
    if (remembered !== undefined) this.remember(remembered)
    const file = asString(line['forgottenFile'])
    if (file !== undefined) this.forgottenFiles.set(file, asString(line['session']) ?? '')
    const known = frame ?? generation ?? forgotten ?? remembered ?? file ?? line['clew']
    if (known === undefined) this.others.push(unknownOf(line, checkOnly) ?? {})
  }

  /** The session is archived again, and what belonged to it. */
  remember(session: string): void {
    this.forgotten.delete(session)
    for (const [file, owner] of this.forgottenFiles) if (owner === session) this.forgottenFiles.delete(file)
  }

  private seeFrame(id: string, line: JsonObject): void {
    const pack = asString(line['pack'])
    const at = asNumber(line['at'])
    const stored = asNumber(line['stored'])
    const bytes = asNumber(line['bytes'])
    if (pack === undefined || at === undefined || stored === undefined || bytes === undefined) return
    const place: FramePlace = { pack, at, stored, bytes }
    const more = unknownOf(line, frameKeys)
    if (more !== undefined) place.more = more
    this.frames.set(id, place)
  }

  private seeGeneration(id: string, line: JsonObject): void {
    const before = this.generations.get(id)
    const from = asNumber(line['from']) ?? 0
    const next = toGeneration(id, line)
    if (next === null) return
    const earlier = this.framesUpTo(before, from)
    if (earlier === null || line['broken'] === true) this.broken.add(id)
    else this.broken.delete(id)
    if (from > 0) next.frames = [...(earlier ?? [...(before?.frames ?? []), lostFrames]), ...next.frames]
    this.put(next)
  }

  /** The frames of a generation that end at a byte; null where they do not reach it. */
  private framesUpTo(before: Generation | undefined, from: number): string[] | null {
    if (from === 0) return []
    const frames: string[] = []
    let end = 0
    for (const frame of before?.frames ?? []) {
      if (end >= from) break
      frames.push(frame)
      end += this.frames.get(frame)?.bytes ?? Number.NaN
    }
    return end === from ? frames : null
  }

  private takeFromFile(id: string): void {
    const old = this.generations.get(id)
    if (old === undefined) return
    const files = this.byFile.get(old.home)
    const list = files?.get(old.path) ?? []
    const at = list.indexOf(old)
    if (at >= 0) list.splice(at, 1)
    if (list.length === 0) files?.delete(old.path)
    this.currents.delete(list)
  }
}

/** Of a file's generations the one to show: imported ones never replace what the file itself was last. */
export function currentOf(generations: readonly Generation[]): Generation | undefined {
  const own = generations.filter(generation => generation.origin === undefined)
  if (own.length > 0) return own.reduce((last, next) => (next.number > last.number ? next : last))
  return generations.reduce<Generation | undefined>(
    (last, next) => (last === undefined || next.modifiedMs >= last.modifiedMs ? next : last),
    undefined,
  )
}

function toGeneration(id: string, line: JsonObject): Generation | null {
  const home = asString(line['home'])
  const path = asString(line['path'])
  const size = asNumber(line['size'])
  if (home === undefined || path === undefined || size === undefined) return null
  const generation: Generation = {
    id,
    number: asNumber(line['number']) ?? 1,
    home,
    path,
    size,
    modifiedMs: Date.parse(asString(line['modified']) ?? '') || 0,
    mode: Number.parseInt(asString(line['mode']) ?? '600', 8),
    archivedMs: Date.parse(asString(line['kept']) ?? '') || 0,
    closed: asNumber(line['closed']) ?? 0,
    frames: textsOf(line['frames']),
  }
  const identity = asString(line['identity'])
  if (identity !== undefined) generation.identity = identity
  const origin = asString(line['origin'])
  if (origin !== undefined) generation.origin = origin
  const facts = line['facts']
  if (isObject(facts)) generation.facts = toFacts(facts)
  const more = unknownOf(line, generationKeys)
  if (more !== undefined) generation.more = more
  return generation
}

/** Mostly the list itself, as long as what is in it: one that is filled by and by takes the memory of 17. */
function textsOf(value: unknown): string[] {
  const isText = (each: unknown) => typeof each === 'string'
  const all = asArray(value)
  return all.every(isText) ? (all as string[]) : all.filter(isText)
}

/** Whichever version wrote them, the required fields are there. The object itself: a copy has a hidden class of its own. */
function toFacts(facts: JsonObject): FileFacts {
  return Object.assign(facts, { isHistory: facts['isHistory'] === true, plans: textsOf(facts['plans']) })
}

// The checksum is computed again for every line.
const checkOnly: ReadonlySet<string> = new Set(['check'])
// `quick` was written in format 1 for frames that were to be compressed again; it is dropped.
const frameKeys: ReadonlySet<string> = new Set(['frame', 'pack', 'at', 'stored', 'bytes', 'quick', 'check'])
const generationKeys: ReadonlySet<string> = new Set([
  ...['generation', 'number', 'home', 'path', 'size', 'modified', 'mode', 'kept', 'closed', 'from', 'frames'],
  ...['identity', 'origin', 'facts', 'broken', 'check'],
])

/** What a line says that this Clew does not know; undefined where that is nothing. */
function unknownOf(line: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let more: Record<string, unknown> | undefined
  for (const key in line) {
    if (known.has(key)) continue
    more ??= {}
    more[key] = line[key]
  }
  return more
}

export function forgottenFileLine(file: string, session: string): JsonObject {
  return { forgottenFile: file, session }
}

export function frameLine(id: string, { pack, at, stored, bytes, more }: FramePlace): JsonObject {
  return { frame: id, pack, at, stored, bytes, ...more }
}

/** A generation whose frames up to `from` were said before. */
export function generationLine(
  generation: Generation,
  from: number,
  frames: readonly string[],
  isBroken = false,
): JsonObject {
  const { id, number, home, path, size, modifiedMs, mode, archivedMs, closed, identity, origin, facts, more } =
    generation
  return {
    generation: id,
    number,
    home,
    path,
    size,
    modified: timeText(modifiedMs),
    mode: mode.toString(8),
    kept: timeText(archivedMs),
    closed,
    ...(identity !== undefined && { identity }),
    ...(origin !== undefined && { origin }),
    ...(facts !== undefined && { facts }),
    ...(isBroken && { broken: true }),
    ...more,
    from,
    frames,
  }
}

/** Any file system's time: some reach beyond what a date can name. */
function timeText(ms: number): string {
  return new Date(Math.max(-8.64e15, Math.min(8.64e15, Math.trunc(ms)))).toISOString()
}
