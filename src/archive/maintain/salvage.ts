// Puts files together again whose lines in the manifest are lost: their frames are still in the packs. What the hashes, the
// lengths or damaged lines prove is distinguished from what is inferred from the records. It changes neither archive nor homes.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { bytesToText, newline } from '../../base/bytes.ts'
import { grouped } from '../../base/grouped.ts'
import { asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { AsideFile, ensureFolder } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import { ownRelative, pathBelow } from '../../files/safe-path.ts'
import { slugOf } from '../capture/rules.ts'
import { type Catalog, fileKey, type Generation } from '../format/catalog.ts'
import { readFrameSync } from '../format/pack.ts'
import { isSessionPath } from '../format/session-path.ts'
import { ownerlessFrames, type UnnamedFrame } from '../format/unnamed.ts'
import { mayLackMore, type Shortened, shortenedFiles } from '../read/shortened.ts'
import type { Archive } from '../store/archive.ts'
import { foldersIn } from '../transfer/restore.ts'

/** A file that was put together again. */
export interface SalvagedFile {
  /** Null where no record names one. */
  session: string | null
  /** Empty where it is unknown. */
  home: string
  /** From the home; below `unknown/` where nothing says what the bytes belong to. */
  path: string
  bytes: number
  /** Of these, those of which no readable line of the manifest says whose they are. */
  found: number
  /** Where those begin. */
  from: number
  /** How many bytes the file had, where the last run saw it. */
  archived?: number
  /** Its length is the one that it had: nothing is missing. */
  isWhole: boolean
  /** What is not proved by a hash, but inferred, in words. */
  inferred: string[]
}

export interface SalvagePlan {
  files: SalvagedFile[]
  /** Raw bytes in them of which no readable line of the manifest says whose they are. */
  bytes: number
}

/** What nothing is known of is below it. */
export const unknownFolder = 'unknown/'

interface Planned {
  file: SalvagedFile
  parts: readonly Buffer[]
}

/** What could be salvaged. Nothing is written. */
export function planSalvage(archive: Archive): SalvagePlan {
  const planned = mayLackMore(archive) ? new Salvage(archive).run() : []
  return planOf(planned)
}

function planOf(planned: readonly Planned[]): SalvagePlan {
  const files = planned.map(({ file }) => file)
  return { files, bytes: files.reduce((sum, { found }) => sum + found, 0) }
}

/** Writes what can be salvaged below a folder that is empty or not there, with `salvage.json` that says how it is known. */
export async function salvage(archive: Archive, to: string): Promise<SalvagePlan> {
  const { ops } = archive
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new FileError('not-empty', `${to} is not empty: nothing is salvaged into it.`, to)
  }
  const planned = mayLackMore(archive) ? new Salvage(archive).run() : []
  const plan = planOf(planned)
  if (planned.length === 0) return plan
  const homes = [...new Set(planned.map(({ file }) => file.home))].filter(home => home !== '').sort()
  const folders = foldersIn(to, homes)
  for (const { file, parts } of planned) {
    const root = folders.get(file.home) ?? to
    ensureFolder(ops, dirname(await pathBelow(root, file.path, ownRelative)))
    write(archive, await pathBelow(root, file.path, ownRelative), parts)
  }
  write(archive, join(to, 'salvage.json'), [Buffer.from(`${JSON.stringify(plan, null, 2)}\n`)])
  return plan
}

function write({ ops }: Archive, place: string, parts: readonly Buffer[]): void {
  const file = new AsideFile(ops, dirname(place), 'salvage')
  try {
    for (const part of parts) file.write(part)
  } catch (error) {
    file.discard()
    throw error
  }
  file.commit(place.slice(dirname(place).length + 1))
}

/** Bytes that no readable line names the file of, and what they claim to be. */
interface Piece {
  frame: UnnamedFrame
  raw: Buffer
  claim: Claim | null
}

/** What the records in a piece claim. */
interface Claim {
  session: string | null
  agent: string | null
  isHistory: boolean
  cwd: string | null
  /** The first time that is named. */
  at: string
  /** The parent of the first record. */
  parent: string | null
}

/**
 * Three rules, the surest first; each is given what those before it left over.
 *
 * | rule | what it takes | why that is enough | what is only inferred |
 * |---|---|---|---|
 * | `byDamagedLine` | a damaged line of the manifest that still names its frames | each frame is proved by its hash | the file's name |
 * | `byRecords` | frames with records of one session, agent or history | records name their session | name, order, what is missing in between |
 * | `byLength` | frames that claim nothing | one lost file alone has this length | that it is this file |
 *
 * What no rule takes is written below `unknown/`. Example: of `a1.jsonl` the manifest lost the line for the bytes from 4,000 on, the
 * last run saw 9,000 bytes, and a pack has an unnamed frame of 5,000 bytes whose records name session a1:
 *
 *     in   a1.jsonl: bytes 0 to 4,000 known · unnamed frame: 5,000 bytes, "sessionId":"a1"
 *     out  { path: 'projects/…/a1.jsonl', bytes: 9000, found: 5000, from: 4000, archived: 9000, isWhole: true,
 *            inferred: ['that these bytes are its: their records name it', 'that nothing is missing before what was found'] }
 */
class Salvage {
  private readonly archive: Archive
  private readonly catalog: Catalog
  private readonly ownerless: readonly UnnamedFrame[]
  private readonly byId: ReadonlyMap<string, UnnamedFrame>
  private readonly shortened: readonly Shortened[]
  private readonly used = new Set<string>()
  private readonly done = new Map<string, Planned>()

  constructor(archive: Archive) {
    this.archive = archive
    this.catalog = archive.manifest.catalog
    this.ownerless = ownerlessFrames(archive.layout, this.catalog)
    this.byId = new Map(this.ownerless.map(frame => [frame.id, frame]))
    this.shortened = shortenedFiles(archive)
  }

  run(): Planned[] {
    for (const { lines } of this.archive.manifest.damage) for (const line of lines) this.byDamagedLine(line)
    const pieces = this.ownerless.filter(({ id }) => !this.used.has(id)).flatMap(frame => this.pieceOf(frame) ?? [])
    const claiming = pieces.filter(({ claim }) => claim !== null)
    for (const group of grouped(claiming, keyOf).values()) this.byRecords(group)
    for (const { frame, raw } of pieces.filter(({ claim }) => claim === null)) this.byLength(frame, raw)
    return [...this.done.values()]
  }

  /** A damaged line still has most of its text: the hashes in it prove the frames that they name. */
  private byDamagedLine(line: string): void {
    const { ids, generation, home, path, from, size } = readDamagedLine(line)
    const before = this.bytesBefore(generation, from)
    const frames = ids.flatMap(id => this.frameBytes(id) ?? [])
    // Without all of its bytes the line proves nothing of the file.
    if (ids.length === 0 || before === null || frames.length < ids.length) return
    const isKnown = this.catalog.of(home, path).some(one => one.size >= size)
    if (isKnown || !isAllowed({ home, path })) return
    const parts = [...before, ...frames]
    const bytes = lengthOf(parts)
    const inferred = ['its name is in a damaged line of the manifest']
    const session = this.sessionOf(path, parts)
    this.put(
      { session, home, path, bytes, found: lengthOf(frames), from, isWhole: bytes === size, inferred },
      parts,
      ids,
    )
  }

  private bytesBefore(id: string, from: number): Buffer[] | null {
    if (from === 0) return []
    const parts: Buffer[] = []
    for (const frame of this.catalog.generations.get(id)?.frames ?? []) {
      if (lengthOf(parts) >= from) break
      const raw = this.frameBytes(frame)
      if (raw === null) return null
      parts.push(raw)
    }
    return lengthOf(parts) === from ? parts : null
  }

  /** Pieces of one log: those of a file that is known in part, or of one that nothing else is known of. */
  private byRecords(group: readonly Piece[]): void {
    const claim = group[0]?.claim
    if (claim === null || claim === undefined || this.isForgotten(claim.session)) return
    const target = this.targetOf(claim)
    if (!isAllowed(target)) {
      for (const { frame, raw } of group) this.putUnknown(frame, raw)
      return
    }
    const { home, path, session, archived } = target
    const base = target.generation === undefined ? null : this.partsOf(target.generation)
    const fitted = this.fit(group, base, archived)
    const { pieces, added, joined, parts } = fitted
    if (pieces.length === 0) return
    const bytes = lengthOf(parts)
    const isWhole = archived === bytes
    const file: SalvagedFile = {
      session,
      home,
      path,
      bytes,
      found: added.length - joined.overlap,
      from: lengthOf(joined.before) + joined.overlap,
      ...(archived !== undefined && { archived }),
      isWhole,
      inferred: inferredFor(target, fitted, isWhole),
    }
    const ids = pieces.map(({ frame }) => frame.id)
    this.put(file, parts, ids)
  }

  private isForgotten(session: string | null): boolean {
    return session !== null && this.catalog.forgotten.has(session)
  }

  /** The pieces that make the file as long as it was; where none do, those that are not in what is known already. */
  private fit(group: readonly Piece[], base: Known | null, archived: number | undefined): Fitted {
    const { prefix, suffix } = base ?? { prefix: [], suffix: [] }
    const choices = [withoutContained(group, prefix), withoutContained(group, []), [...group]]
    const fitted = choices.map(choice => {
      const pieces = this.inTime(choice)
      const added = Buffer.concat(pieces.map(({ raw }) => raw))
      const joined = joinAt(prefix, added)
      return { pieces, added, joined, parts: [...joined.before, added, ...suffix] }
    })
    return fitted.find(({ parts }) => lengthOf(parts) === archived) ?? (fitted[0] as Fitted)
  }

  /** By the first time that they name, else by when their pack was written. */
  private inTime(pieces: readonly Piece[]): Piece[] {
    const timeOf = ({ claim, frame }: Piece) => {
      if (claim !== null && claim.at !== '') return claim.at
      const facts = attempt(() => statSync(join(this.archive.layout.packs, frame.place.pack)))
      return facts === undefined ? '' : facts.mtime.toISOString()
    }
    const timed = pieces.map(piece => ({ piece, time: timeOf(piece) }))
    return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ piece }) => piece)
  }

  /** Bytes that say nothing of themselves: the file of this length that is gone, where there is only one. */
  private byLength(frame: UnnamedFrame, raw: Buffer): void {
    const fitting = this.lost().filter(({ archived }) => archived === raw.length)
    const [only] = fitting
    if (fitting.length === 1 && only !== undefined) {
      const { home, path } = only
      const inferred = ['that these bytes are its: no other lost file has this length']
      const file = {
        session: this.sessionOf(path, []),
        home,
        path,
        bytes: raw.length,
        found: raw.length,
        from: 0,
        archived: raw.length,
        isWhole: true,
        inferred,
      }
      this.put(file, [raw], [frame.id])
      return
    }
    this.putUnknown(frame, raw)
  }

  /** Files that were seen and that the manifest has nothing of any more. */
  private lost(): Shortened[] {
    return this.shortened.filter(
      ({ generation, home, path }) => generation === undefined && !this.done.has(fileKey(home, path)),
    )
  }

  private put(file: SalvagedFile, parts: readonly Buffer[], ids: readonly string[]): void {
    for (const id of ids) this.used.add(id)
    if (this.isForgotten(file.session)) return
    const key = fileKey(file.home, file.path)
    const other = this.done.get(key)
    if (other === undefined || other.file.bytes < file.bytes) this.done.set(key, { file, parts })
  }

  private putUnknown({ id, place }: UnnamedFrame, raw: Buffer): void {
    const path = `${unknownFolder}${place.pack}-${place.at}`
    const inferred = ['nothing says what file these bytes are of']
    const bytes = raw.length
    this.put({ session: null, home: '', path, bytes, found: bytes, from: 0, isWhole: false, inferred }, [raw], [id])
  }

  /** The file that the records are of, by its name in what is archived and in what was seen, or by the name it would have. */
  private targetOf(claim: Claim): Target {
    const isIts = ({ home, path }: { home: string; path: string }) =>
      isNamedFor(path, claim, this.catalog.current(home, path))
    const short = this.shortened.find(isIts)
    const [generation] =
      short?.generation !== undefined
        ? [short.generation]
        : [...this.catalog.generations.values()].filter(isIts).reverse()
    const session = claim.session
    if (short !== undefined || generation !== undefined) {
      const { home, path } = short ?? (generation as Generation)
      const size = generation !== undefined && this.catalog.broken.has(generation.id) ? generation.size : undefined
      const archived = short !== undefined && !Number.isNaN(short.archived) ? short.archived : size
      return {
        session,
        home,
        path,
        isNamed: true,
        ...(generation !== undefined && { generation }),
        ...(archived !== undefined && { archived }),
      }
    }
    const homes = [...this.catalog.homes()]
    const home = homes.length === 1 ? (homes[0] ?? '') : ''
    return { session, home, path: inferredPath(claim), isNamed: false }
  }

  /** What there is of a generation before the first frame that is lost, and after the last one. */
  private partsOf({ frames }: Generation): Known {
    const raws = frames.map(id => this.frameBytes(id))
    const first = raws.indexOf(null)
    const some = (parts: readonly (Buffer | null)[]) => parts.flatMap(raw => raw ?? [])
    if (first < 0) return { prefix: some(raws), suffix: [] }
    return { prefix: some(raws.slice(0, first)), suffix: some(raws.slice(raws.lastIndexOf(null) + 1)) }
  }

  private frameBytes(id: string): Buffer | null {
    const place = this.catalog.frames.get(id) ?? this.byId.get(id)?.place
    return place === undefined ? null : (attempt(() => readFrameSync(this.archive.layout, id, place)) ?? null)
  }

  private pieceOf(frame: UnnamedFrame): Piece | null {
    const raw = this.frameBytes(frame.id)
    return raw === null ? null : { frame, raw, claim: claimIn(raw) }
  }

  private sessionOf(path: string, parts: readonly Buffer[]): string | null {
    const claim = parts[0] === undefined ? null : claimIn(parts[0])
    return claim?.session ?? /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(path)?.[0] ?? null
  }
}

/** What is not proved of a file that was found by its records. */
function inferredFor(target: Target, { pieces, joined }: Fitted, isWhole: boolean): string[] {
  const name = target.isNamed
    ? 'that these bytes are its: their records name it'
    : 'its name, from what its records say'
  const isGapPossible = !joined.isOverlapping && target.generation !== undefined
  return [
    name,
    ...(pieces.length > 1 ? ['the order of its pieces, from the times in them'] : []),
    ...(isWhole ? [] : ['whether more of it is lost']),
    ...(isGapPossible ? ['that nothing is missing before what was found'] : []),
    ...(pieces.every(({ frame }) => frame.isProved) ? [] : ['that its bytes are as they were: their pack is damaged']),
  ]
}

/** What the text of a damaged line of the manifest still names; empty and NaN where it does not. */
function readDamagedLine(line: string) {
  const list = line.indexOf('"frames":[')
  return {
    ids: list < 0 ? [] : (line.slice(list).match(/\b[0-9a-f]{64}\b/g) ?? []),
    generation: textAfter(line, 'generation'),
    home: textAfter(line, 'home'),
    path: textAfter(line, 'path'),
    from: Number(/"from":(\d+),/.exec(line)?.[1] ?? Number.NaN),
    size: Number(/"size":(\d+),/.exec(line)?.[1] ?? Number.NaN),
  }
}

/** What records and damaged lines name may lead anywhere. */
function isAllowed({ home, path }: { home: string; path: string }): boolean {
  return ownRelative(path) === path && isSessionPath(path, home)
}

/** What there is of a generation before what is lost of it, and after. */
interface Known {
  prefix: Buffer[]
  suffix: Buffer[]
}

interface Joined {
  before: readonly Buffer[]
  /** So many bytes of what was found were known. */
  overlap: number
  isOverlapping: boolean
}

interface Fitted {
  pieces: readonly Piece[]
  added: Buffer
  joined: Joined
  parts: readonly Buffer[]
}

interface Target {
  session: string | null
  home: string
  path: string
  /** The name is archived or was seen, not made from records. */
  isNamed: boolean
  generation?: Generation
  archived?: number
}

function keyOf({ claim }: Piece): string {
  return claim === null ? '' : JSON.stringify(claim.isHistory ? 'history' : [claim.session, claim.agent])
}

function isNamedFor(path: string, { session, agent, isHistory }: Claim, generation: Generation | undefined): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (isHistory) return path === 'history.jsonl'
  if (agent !== null) return name === `agent-${agent}.jsonl`
  if (!name.endsWith('.jsonl') || name.startsWith('agent-')) return false
  return (
    name === `${session}.jsonl` || (generation?.facts?.session !== undefined && generation.facts.session === session)
  )
}

/** Where Claude Code would have it. */
function inferredPath({ session, agent, isHistory, cwd }: Claim): string {
  if (isHistory) return 'history.jsonl'
  const folder = `projects/${cwd === null ? 'unknown' : slugOf(cwd)}/${session}`
  return agent === null ? `${folder}.jsonl` : `${folder}/subagents/agent-${agent}.jsonl`
}

/** What the first whole records of some bytes say; null where they are none of a log. */
function claimIn(raw: Buffer): Claim | null {
  const claim: Claim = { session: null, agent: null, isHistory: false, cwd: null, at: '', parent: null }
  let records = 0
  for (const record of firstRecords(raw)) {
    if (records++ === 0) claim.parent = asString(record['parentUuid']) ?? null
    claim.isHistory ||= 'display' in record && 'project' in record && !('uuid' in record)
    claim.session ??= asString(record['sessionId']) ?? null
    claim.agent ??= asString(record['agentId']) ?? null
    claim.cwd ??= asString(record['cwd']) ?? null
    if (claim.at === '') claim.at = timeIn(record)
  }
  return claim.isHistory || claim.session !== null ? claim : null
}

function timeIn(record: JsonObject): string {
  const time = record['timestamp']
  return typeof time === 'number'
    ? new Date(Math.min(8.64e15, Math.max(0, time))).toISOString()
    : (asString(time) ?? '')
}

const looked = 20

/** The first line may be the end of one that began in another frame. */
function* firstRecords(raw: Buffer): Generator<JsonObject> {
  for (let at = 0, lines = 0; at < raw.length && lines < looked; lines++) {
    const found = raw.indexOf(newline, at)
    const end = found < 0 ? raw.length : found
    const value = parseJson(bytesToText(raw.subarray(at, end)))
    if (isObject(value)) yield value
    at = end + 1
  }
}

/** Without pieces whose bytes are in a longer one, or in what is known: a growing end is stored again with what was added. */
function withoutContained(pieces: readonly Piece[], known: readonly Buffer[]): Piece[] {
  const whole = Buffer.concat(known)
  const longestFirst = [...pieces].sort((a, b) => b.raw.length - a.raw.length)
  const taken: Piece[] = []
  for (const piece of longestFirst) {
    if (!whole.includes(piece.raw) && !taken.some(({ raw }) => raw.includes(piece.raw))) taken.push(piece)
  }
  return taken
}

/**
 * Where what was found begins: at a frame of the known end that it repeats, since what grows is stored again from a border
 * on; else after all that is known.
 */
function joinAt(prefix: readonly Buffer[], added: Buffer): Joined {
  for (let from = Math.max(0, prefix.length - 64); from < prefix.length; from++) {
    const end = Buffer.concat(prefix.slice(from))
    if (end.length > 0 && added.length > end.length && added.subarray(0, end.length).equals(end)) {
      return { before: prefix.slice(0, from), overlap: end.length, isOverlapping: true }
    }
  }
  return { before: prefix, overlap: 0, isOverlapping: false }
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

function textAfter(text: string, name: string): string {
  const found = new RegExp(`"${name}":"((?:[^"\\\\]|\\\\.)*)"`).exec(text)
  return found === null
    ? ''
    : (asString(parseJson(`"${Buffer.from(found[1] ?? '', 'latin1').toString('utf8')}"`)) ?? '')
}
