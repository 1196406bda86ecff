// Finds the sessions that damage concerns, from damaged generations and lines of the manifest. It checks no bytes.

import { type Catalog, fileKey, type Generation } from '../format/catalog.ts'
import { keptHomes } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'

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

/** Losses with the sessions that they concern, and what damaged lines of the manifest may have been about. */
export async function nameLosses(
  archive: Archive,
  losses: readonly Loss[],
  lostLines: readonly string[],
): Promise<DamagedPart[]> {
  const { catalog } = archive.manifest
  const parts = losses.map(({ generation, from, bytes, reason }) => toPart(generation, from, bytes, reason))
  parts.push(...lostLines.flatMap(text => partsInText(text, catalog)))
  if (parts.length === 0) return []
  const owners = await ownersOf(archive)
  return parts.flatMap(({ guesses, ...part }) => {
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

/** The file that a damaged line was about, as far as its text shows. */
function partsInText(text: string, catalog: Catalog): Part[] {
  const known = catalog.generations.get(textAfter(text, 'generation'))
  if (known !== undefined) {
    const size = Number(/"size":(\d+),/.exec(text)?.[1] ?? 0)
    return [toPart(known, known.size, Math.max(0, size - known.size), lostReason)]
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
