// Which generations a restore is about, and below which folder each home's files go. It reads the catalog only.

import { basename, dirname, join, relative, sep } from 'node:path'
import { currentOf, fileKey, type Generation } from '../format/catalog.ts'
import { type KeptSession, keptHomes } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'

/** A file to be restored. */
export interface WantedFile {
  home: string
  path: string
  /** Undefined where the file has no generation of the number that was asked for. */
  generation: Generation | undefined
  /** A session's own log, not one of its agents' or a file beside it. */
  isMain: boolean
}

/** The files of one session, or files of a home that no session owns. */
export interface Batch {
  session: string | null
  home: string
  files: WantedFile[]
}

/** Everything, or all files of some sessions. `number` picks another generation of main files than the current one. */
export async function wantedFiles(
  archive: Archive,
  sessions: readonly KeptSession[] | undefined,
  number: number | undefined,
): Promise<Batch[]> {
  if (sessions !== undefined) return sessions.map(session => batchOf(session, number))
  const batches: Batch[] = []
  for (const { home, sessions: found, others } of await keptHomes(archive)) {
    for (const session of found) batches.push(batchOf(session, number))
    const files = byFile(others).map(list => wanted(list, currentOf(list), false))
    batches.push({ session: null, home, files })
  }
  return batches
}

function batchOf(session: KeptSession, number: number | undefined): Batch {
  const { id, home, generations } = session
  const mains = new Set(
    session.files.logs.filter(log => log.role === 'session').map(log => relative(home, log.path).split(sep).join('/')),
  )
  const files = byFile(generations).map(list => {
    const isMain = mains.has(list[0]?.path ?? '')
    const isPicked = isMain && number !== undefined
    return wanted(list, currentOf(isPicked ? list.filter(one => one.number === number) : list), isMain)
  })
  return { session: id, home, files }
}

function wanted(list: readonly Generation[], generation: Generation | undefined, isMain: boolean): WantedFile {
  const [first] = list
  return { home: first?.home ?? '', path: first?.path ?? '', generation, isMain }
}

function byFile(generations: readonly Generation[]): Generation[][] {
  const files = new Map<string, Generation[]>()
  for (const generation of generations) {
    const key = fileKey(generation.home, generation.path)
    const list = files.get(key)
    if (list === undefined) files.set(key, [generation])
    else list.push(generation)
  }
  return [...files.values()]
}

/** Where the files of each home go: a single one straight into the folder, of several each into one of its own. */
export function foldersIn(to: string, homes: readonly string[]): Map<string, string> {
  const folders = new Map<string, string>()
  const [only] = homes
  if (homes.length === 1 && only !== undefined) return folders.set(only, to)
  const taken = new Set<string>()
  for (const home of homes) {
    const name = folderName(home)
    let free = name
    // Some file systems do not tell capitals from small letters.
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name}-${n}`
    taken.add(free.toLowerCase())
    folders.set(home, join(to, free))
  }
  return folders
}

/** `/home/mira/.claude` becomes `mira-claude`: a name that is allowed everywhere and not hidden. */
function folderName(home: string): string {
  const parts = [basename(dirname(home)), basename(home)]
  const words = parts.map(part => part.replace(/[^\p{L}\p{N}_-]+/gu, '-').replace(/^-+|-+$/g, ''))
  return (
    words
      .filter(word => word !== '')
      .join('-')
      .slice(0, 80) || 'home'
  )
}
