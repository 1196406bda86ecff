// Where a session has left something outside of its own files: in prompt histories and the texts that were pasted into its
// prompts, in folders of a home that are called after it, and in what Clew remembers. It changes nothing.

import { createReadStream, existsSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { entriesOf } from '../../files/durable.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import type { Discovery } from '../../model/source.ts'
import { type HistoryScan, linesOf, scanHistory, sessionIn } from '../capture/history-lines.ts'
import type { Generation } from '../format/catalog.ts'
import { projectFolders } from '../format/session-path.ts'
import { archivedBytes } from '../read/source.ts'
import type { Archive } from '../store/archive.ts'

/** One content of a prompt history, and what it says of a session. */
export interface HistoryTrace {
  home: string
  path: string
  /** Absent for the file on disk. */
  generation?: Generation
  /** Undefined where it cannot be read. */
  scan: HistoryScan | undefined
}

export function isHistory({ path, facts }: Generation): boolean {
  return facts?.isHistory === true || path === 'history.jsonl'
}

/** Every content of every prompt history, archived or on disk. */
export async function historyTraces(
  archive: Archive,
  homes: readonly string[],
  session: string,
): Promise<HistoryTrace[]> {
  const sessions = new Set([session])
  const found: HistoryTrace[] = []
  const files = new Map(homes.map(home => [join(home, 'history.jsonl'), { home, path: 'history.jsonl' }]))
  for (const generation of archive.exists ? archive.manifest.catalog.generations.values() : []) {
    if (!isHistory(generation)) continue
    const { home, path } = generation
    files.set(placeOf(generation), { home, path })
    const isBroken = archive.manifest.catalog.broken.has(generation.id)
    const scan = isBroken
      ? undefined
      : await scanHistory(archivedBytes(archive, generation), sessions).catch(() => undefined)
    found.push({ home, path, generation, scan })
  }
  for (const [place, file] of files) {
    if (!isFile(place)) continue
    found.push({ ...file, scan: await scanHistory(createReadStream(place), sessions).catch(() => undefined) })
  }
  return found
}

/** The homes in question: what was discovered, what anything is archived of, and where a prompt history is. */
export function homesInQuestion(archive: Archive, discoveries: readonly Discovery[]): string[] {
  const roots = discoveries.flatMap(({ root, histories }) => [root, ...histories.map(({ path }) => dirname(path))])
  const archived = archive.exists ? [...archive.manifest.catalog.homes()] : []
  return [...new Set([...roots.map(canonicalPlace), ...archived])]
}

/** Files on disk in folders of a home, or of those folders, that have the session in their name; projects are for `discover`. */
export function namedFiles(homes: readonly string[], session: string): string[] {
  const found: string[] = []
  for (const home of homes) {
    for (const folder of foldersIn(home)) {
      if (projectFolders.includes(folder)) continue
      for (const { name } of listed(join(home, folder))) {
        if (name.includes(session)) found.push(...filesBelow(join(home, folder, name)))
      }
    }
  }
  return found
}

/** Files of Clew's own that name the session: a status line remembers which logs it has read. */
export function ownFiles(folders: readonly string[], session: string): string[] {
  return folders.flatMap(folder =>
    listed(folder)
      .filter(entry => entry.isFile())
      .map(({ name }) => join(folder, name))
      .filter(path => path.includes(session) || attempt(() => readFileSync(path))?.includes(session) === true),
  )
}

/** Ids of sessions that may be on no disk and in no archive any more, but have left something. */
export async function tracedSessions(archive: Archive, discoveries: readonly Discovery[]): Promise<Set<string>> {
  const homes = homesInQuestion(archive, discoveries)
  const found = new Set(archive.exists ? archive.manifest.catalog.forgotten : [])
  for (const home of homes) {
    for (const folder of ['image-cache', 'file-history', 'tasks'])
      for (const { name } of listed(join(home, folder))) found.add(name)
    const place = join(home, 'history.jsonl')
    if (isFile(place)) await addSessions(found, createReadStream(place))
  }
  const generations = archive.exists ? [...archive.manifest.catalog.generations.values()].filter(isHistory) : []
  for (const generation of generations) await addSessions(found, archivedBytes(archive, generation))
  found.delete('')
  return found
}

async function addSessions(found: Set<string>, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const line of linesOf(chunks)) found.add(sessionIn(line.toString('utf8')))
  } catch {
    // What cannot be read is named when a session is erased.
  }
}

function foldersIn(home: string): string[] {
  return listed(home)
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
}

function listed(folder: string) {
  return attempt(() => entriesOf(folder)) ?? []
}

/** The file itself, or everything below a folder; links are not followed. */
function filesBelow(path: string): string[] {
  const facts = attempt(() => lstatSync(path))
  if (facts === undefined) return []
  return facts.isDirectory() ? listed(path).flatMap(({ name }) => filesBelow(join(path, name))) : [path]
}

function isFile(path: string): boolean {
  return existsSync(path) && attempt(() => lstatSync(path).isFile()) === true
}
