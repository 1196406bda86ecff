// Whose bytes suffer: from damaged generations and lines of the manifest to sessions. It judges no bytes.

import { type Catalog, fileKey, type Generation } from '../format/catalog.ts'
import { keptHomes } from '../read/sessions.ts'
import { Archive } from '../store/archive.ts'

/** Bytes of one file that cannot be read back. */
export interface DamagedPart {
  /** Null where no session owns the file, or where it cannot be told. A file of two sessions is named for each. */
  session: string | null
  home: string
  path: string
  /** The number of the generation among those of its file; 0 where it cannot be told. */
  generation: number
  from: number
  /** 0 where it cannot be told. */
  bytes: number
  reason: string
}

/** A part of a generation that cannot be read back. */
export interface Loss {
  generation: Generation
  from: number
  bytes: number
  reason: string
  /** The manifest is the cause, not a pack. */
  isManifest: boolean
}

const lostReason = 'what the manifest told of these bytes is damaged'

/** What damaged segments of the manifest said. */
export interface LostLines {
  /** The catalog as it would be if they were intact, as far as that can be told. */
  mended: Catalog
  /** The texts of lines that cannot be read in any way. */
  texts: string[]
}

/** Losses with the sessions that they concern, and what lost lines of the manifest mean for others. */
export async function nameLosses(
  archive: Archive,
  losses: readonly Loss[],
  lines: LostLines | null,
): Promise<DamagedPart[]> {
  const { catalog } = archive.manifest
  const parts = losses.map(({ generation, from, bytes, reason }) => toPart(generation, from, bytes, reason))
  if (lines !== null) parts.push(...lostParts(catalog, lines.mended))
  const scraps = (lines?.texts ?? []).flatMap(text => partsInText(text, catalog))
  if (parts.length === 0 && scraps.length === 0) return []
  const owners = await ownersOf(lines === null ? archive : withMended(archive, lines.mended))
  return [...parts, ...scraps].flatMap(({ guesses, ...part }) => {
    const known = owners.get(fileKey(part.home, part.path)) ?? guesses
    return (known.length > 0 ? known : [null]).map(session => ({ session, ...part }))
  })
}

/** A part before it is known whose it is. */
interface Part extends Omit<DamagedPart, 'session'> {
  /** Sessions that it may belong to if nothing better is known. */
  guesses: string[]
}

function toPart({ home, path, number }: Generation, from: number, bytes: number, reason: string): Part {
  return { home, path, generation: number, from, bytes, reason, guesses: sessionsIn(path) }
}

/** What the manifest would tell if it were not damaged, and does not. */
function lostParts(catalog: Catalog, mended: Catalog): Part[] {
  const parts: Part[] = []
  for (const wanted of mended.generations.values()) {
    const found = catalog.generations.get(wanted.id)
    const from = found === undefined ? 0 : Math.min(found.size, wanted.size)
    const isElsewhere = found !== undefined && (found.home !== wanted.home || found.path !== wanted.path)
    if (found !== undefined && from === wanted.size && !isElsewhere) continue
    parts.push(toPart(wanted, from, wanted.size - from, lostReason))
    if (isElsewhere)
      parts.push(toPart(found, from, wanted.size - from, 'the manifest no longer tells where it was moved'))
  }
  return parts
}

/** An archive that tells what this one told before its manifest was damaged; only in memory. */
function withMended(archive: Archive, mended: Catalog): Archive {
  const whole = new Archive(archive.layout.folder)
  const { catalog } = whole.manifest
  for (const [id, place] of mended.frames) catalog.frames.set(id, place)
  for (const generation of mended.generations.values()) catalog.put(generation)
  return whole
}

/** Sessions by file. */
async function ownersOf(archive: Archive): Promise<Map<string, string[]>> {
  const owners = new Map<string, string[]>()
  try {
    for (const { home, sessions } of await keptHomes(archive)) {
      for (const { id, generations } of sessions) {
        for (const key of new Set(generations.map(({ path }) => fileKey(home, path)))) {
          owners.set(key, [...(owners.get(key) ?? []), id])
        }
      }
    }
  } catch {
    // Without owners, names of files tell what they can.
  }
  return owners
}

/** A line of which only scraps are left: the file that they name. */
function partsInText(text: string, catalog: Catalog): Part[] {
  for (const [, id] of text.matchAll(/"generation":"([0-9a-f]+)"/g)) {
    const known = catalog.generations.get(id ?? '')
    if (known !== undefined) return [toPart(known, known.size, 0, lostReason)]
  }
  const home = textAfter(text, 'home')
  const path = textAfter(text, 'path')
  const guesses = sessionsIn(text)
  // A frame's line names no file; whose frame it was shows in the generations that miss it.
  if (path === '' && guesses.length === 0) return []
  return [{ home, path, generation: 0, from: 0, bytes: 0, reason: lostReason, guesses }]
}

function textAfter(text: string, name: string): string {
  const found = new RegExp(`"${name}":"((?:[^"\\\\]|\\\\.)*)"`).exec(text)
  return found === null ? '' : Buffer.from(found[1] ?? '', 'latin1').toString('utf8')
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Ids of sessions in a path, or in the text of a line that names one. */
function sessionsIn(text: string): string[] {
  const named = [...new Set(text.match(uuidPattern) ?? [])]
  if (named.length > 0) return named
  const stem = /\/([^/"]+)\.jsonl(?:"|$)/.exec(text)?.[1]
  return stem === undefined ? [] : [stem]
}
