// What the manifest says up to one of its segments, in a form that is read several times as quickly: `known.json`. Derived and
// disposable: it counts only while the segments it stands for are the very files that they were, and else they are read.

import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../base/json.ts'
import { writeWhole } from '../store/durable.ts'
import type { WriteOps } from '../store/ops.ts'
import { Catalog, type FramePlace, type Generation } from './catalog.ts'
import type { Layout } from './layout.ts'
import { hashOf } from './lines.ts'
import type { Manifest } from './manifest-state.ts'

const mark = 'clew known 1'

/** A manifest below this size is read as quickly by itself. */
export const worthKnowing = 256 * 1024

/** It is written again when so many segments came behind it, or they are more than this part of the whole. */
const mostBehind = 32
const mostFresh = 1 / 16

/** Name, size, times and inode of a segment. */
type SegmentFacts = [string, number, number, number, number]

interface KnownText {
  segments: SegmentFacts[]
  last: number
  lastHash: string
  packs: string[]
  /** Ids of frames, back to back. */
  frames: string
  /** Five numbers a frame: its pack's place in `packs`, `at`, `stored`, `bytes`, 1 where it is quick. */
  places: number[]
  /** What a later Clew says of frames. */
  more: [number, FramePlace['more']][]
  /** Frames are named by their places in `frames`; those that are not there by their ids. */
  generations: (Omit<Generation, 'frames'> & { frames: (number | string)[] })[]
  broken: string[]
  forgotten: string[]
  others: Catalog['others']
}

const idLength = 64

/** The manifest up to the last segment that is known, with its catalog; null where it has to be read line by line. */
export function readKnown(layout: Layout, names: readonly string[]): Manifest | null {
  const known = knownText(layout)
  if (known === null || known.segments.length > names.length) return null
  let bytes = 0
  for (const [n, facts] of known.segments.entries()) {
    if (names[n] !== facts[0] || !isSame(facts, factsOf(layout, facts[0]))) return null
    bytes += facts[1]
  }
  const { last, lastHash } = known
  const segments = names.slice(0, known.segments.length)
  return {
    catalog: toCatalog(known),
    last,
    lastHash,
    segments,
    stale: [],
    bytes,
    known: { segments: segments.length, bytes },
    damage: [],
  }
}

function knownText(layout: Layout): KnownText | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(layout.known)
  } catch {
    return null
  }
  const start = bytes.indexOf(0x0a) + 1
  if (bytes.toString('latin1', 0, start) !== headOf(bytes.subarray(start))) return null
  return (parseJson(bytes.toString('utf8', start)) ?? null) as KnownText | null
}

function headOf(body: Buffer): string {
  return `${mark}\t${hashOf(body)}\n`
}

function factsOf(layout: Layout, name: string): SegmentFacts {
  const { size, mtimeMs, ctimeMs, ino } = lstatSync(join(layout.manifest, name))
  return [name, size, mtimeMs, ctimeMs, ino]
}

function isSame(one: SegmentFacts, other: SegmentFacts): boolean {
  return one.every((fact, n) => fact === other[n])
}

function toCatalog({ packs, frames, places, more, generations, ...rest }: KnownText): Catalog {
  const catalog = new Catalog()
  const ids: string[] = []
  for (let at = 0; at < frames.length; at += idLength) {
    const id = frames.slice(at, at + idLength)
    const n = ids.length * 5
    const place: FramePlace = {
      pack: packs[places[n] as number] as string,
      at: places[n + 1] as number,
      stored: places[n + 2] as number,
      bytes: places[n + 3] as number,
    }
    if (places[n + 4] === 1) place.isQuick = true
    catalog.frames.set(id, place)
    ids.push(id)
  }
  for (const [n, said] of more) Object.assign(catalog.frames.get(ids[n] as string) ?? {}, { more: said })
  for (const generation of generations) {
    const own = generation.frames
    for (let n = 0; n < own.length; n++) if (typeof own[n] === 'number') own[n] = ids[own[n] as number] as string
    catalog.put(generation as Generation)
  }
  for (const id of rest.broken) catalog.broken.add(id)
  for (const session of rest.forgotten) catalog.forgotten.add(session)
  catalog.others.push(...rest.others)
  return catalog
}

/** Writes it where that is due. A damaged manifest is always read anew, so that its damage is told. */
export function rememberManifest(ops: WriteOps, layout: Layout, manifest: Manifest, above = worthKnowing): void {
  const { segments, bytes, known, damage, stale } = manifest
  if (bytes < above || damage.length > 0 || stale.length > 0) return
  if (segments.length - known.segments <= mostBehind && bytes - known.bytes <= bytes * mostFresh) return
  const text = toText(layout, manifest)
  if (text === null) return
  const body = Buffer.from(JSON.stringify(text))
  writeWhole(ops, layout.known, Buffer.concat([Buffer.from(headOf(body)), body]))
  manifest.known = { segments: segments.length, bytes }
}

/** Null where something is not as this Clew writes it: then it is read where it is written. */
function toText(layout: Layout, { catalog, segments, last, lastHash }: Manifest): KnownText | null {
  const packs = new Places()
  const ids = new Places()
  const places: number[] = []
  const more: KnownText['more'] = []
  for (const [id, place] of catalog.frames) {
    const n = ids.of(id)
    if (id.length !== idLength) return null
    places.push(packs.of(place.pack), place.at, place.stored, place.bytes, place.isQuick === true ? 1 : 0)
    if (place.more !== undefined) more.push([n, place.more])
  }
  const generations: KnownText['generations'] = []
  for (const generation of catalog.generations.values()) {
    if (Number.isNaN(generation.mode)) return null
    generations.push({ ...generation, frames: generation.frames.map(id => ids.known(id) ?? id) })
  }
  return {
    segments: segments.map(name => factsOf(layout, name)),
    last,
    lastHash,
    packs: packs.list,
    frames: ids.list.join(''),
    places,
    more,
    generations,
    broken: [...catalog.broken],
    forgotten: [...catalog.forgotten],
    others: catalog.others,
  }
}

/** Texts, each once, by their places in a list. */
class Places {
  readonly list: string[] = []
  private readonly places = new Map<string, number>()

  of(text: string): number {
    const known = this.places.get(text)
    if (known !== undefined) return known
    this.places.set(text, this.list.length)
    return this.list.push(text) - 1
  }

  known(text: string): number | undefined {
    return this.places.get(text)
  }
}

/** Whether it is as it was written, or not there. */
export function isKnownIntact(layout: Layout): boolean {
  return !existsSync(layout.known) || knownText(layout) !== null
}

/** Nothing that is taken out of the archive may live on in it. */
export function dropKnown(ops: WriteOps, layout: Layout): void {
  if (!existsSync(layout.known)) return
  ops.unlink(layout.known)
  ops.syncFolder(layout.folder)
}
