// Which archived files belong to which session, found by the same walk that finds live ones, and whether they are still on
// disk. It changes nothing.

import { lstatSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { discover } from '../../disk/discover/discover.ts'
import { placesOf } from '../../disk/discover/same-session.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import { fileKey, type Generation } from '../format/catalog.ts'
import type { Archive } from '../store/archive.ts'
import { archiveSource } from './source.ts'
import { archiveTree } from './tree.ts'

/** A session as the archive has it. */
export interface ArchivedSession {
  id: string
  home: string
  /** Name of its project folder. */
  slug: string
  /** As `discover` gives them: logs and side files, all of them archived. */
  files: SessionFiles
  /** Every generation of every file of it, main files first, a file's generations in their order. */
  generations: Generation[]
  /** Last change of any of its logs, milliseconds since 1970. */
  modifiedMs: number
}

export interface ArchivedHome {
  home: string
  sessions: ArchivedSession[]
  /** Generations that no session owns: prompt histories, indexes, files of unknown sessions. */
  others: Generation[]
}

/** Everything that is archived, by home and session. */
export async function archivedHomes(archive: Archive): Promise<ArchivedHome[]> {
  if (!archive.exists) return []
  const tree = archiveTree(archive, { source: archiveSource(archive), isLive: false })
  const homes: ArchivedHome[] = []
  for (const home of [...archive.manifest.catalog.homes()].sort()) {
    homes.push(toHome(archive, home, await discover(home, tree)))
  }
  return homes
}

/** What is archived and what is on disk; of sessions that have one id by chance, each has an id of its own. */
export async function archivedAndLive(
  archive: Archive,
  discoveries: readonly Discovery[],
): Promise<{ homes: ArchivedHome[]; discoveries: Discovery[] }> {
  const homes = await archivedHomes(archive)
  const archived = homes.map(({ home, sessions }) => ({
    ...noDiscovery(home),
    sessions: sessions.map(one => one.files),
  }))
  const all = [...archived, ...discoveries]
  const places = placesOf(all, archiveSource(archive)).values()
  const keyed = all.map(one => ({ ...one, sessions: one.sessions.map(() => places.next().value as SessionFiles) }))
  for (const [at, { sessions }] of homes.entries()) {
    for (const [n, files] of (keyed[at]?.sessions ?? []).entries()) {
      const session = sessions[n] as ArchivedSession
      session.id = files.id
      session.files = files
    }
  }
  return { homes, discoveries: keyed.slice(homes.length) }
}

function noDiscovery(root: string): Discovery {
  return { root, sessions: [], histories: [], strays: [], findings: [] }
}

function toHome(archive: Archive, home: string, discovery: Discovery): ArchivedHome {
  const { catalog } = archive.manifest
  const owned = new Set<string>()
  const sessions = discovery.sessions.map(files => {
    const paths = [...files.logs, ...files.side].map(file => relative(home, file.path).split(sep).join('/'))
    // What is next to an agent file of old clients belongs to it, though no walk lists it.
    const metas = paths.filter(path => path.endsWith('.jsonl')).map(path => path.replace(/\.jsonl$/, '.meta.json'))
    const generations = [...new Set([...paths, ...metas])].flatMap(path => [...catalog.of(home, path)])
    for (const { path } of generations) owned.add(fileKey(home, path))
    const modifiedMs = files.logs.reduce((last, log) => Math.max(last, log.modifiedMs), 0)
    return { id: files.id, home, slug: files.slug, files, generations, modifiedMs }
  })
  const others = [...catalog.generations.values()].filter(
    generation => generation.home === home && !owned.has(fileKey(home, generation.path)),
  )
  return { home, sessions, others }
}

/** The sessions that own generations, by a key of the generation: its id, or its file. */
export function ownersBy(
  homes: readonly ArchivedHome[],
  keyOf: (generation: Generation) => string,
): Map<string, string[]> {
  const owners = new Map<string, string[]>()
  for (const { id, generations } of homes.flatMap(home => home.sessions)) {
    for (const key of new Set(generations.map(keyOf))) owners.set(key, [...(owners.get(key) ?? []), id])
  }
  return owners
}

/** Knows what was found alive; a session that was moved is known by its id. */
export class LiveSessions {
  private readonly changed = new Map<string, number>()
  /** Ids of those with a main file. */
  private readonly withMain = new Set<string>()

  constructor(discoveries: readonly Discovery[] = []) {
    for (const { sessions } of discoveries) {
      for (const { id, logs } of sessions) {
        for (const { isArchiveOnly, modifiedMs, role } of logs) {
          if (isArchiveOnly === true) continue
          this.changed.set(id, Math.max(this.changed.get(id) ?? 0, modifiedMs))
          if (role === 'session') this.withMain.add(id)
        }
      }
    }
  }

  /** Whether it is on disk, as lists have it: any of its main files; of a session without one, any file. */
  isOnDisk({ id, files: { logs, side } }: ArchivedSession): boolean {
    const mains = logs.filter(log => log.role === 'session')
    if (mains.length > 0) return this.withMain.has(id) || mains.some(({ path }) => isFileAt(path))
    return this.changed.has(id) || [...logs, ...side].some(({ path }) => isFileAt(path))
  }

  /** When the session was last changed on disk, milliseconds since 1970; null where it is not there any more. */
  changedMs(session: ArchivedSession): number | null {
    let last = this.changed.get(session.id) ?? null
    for (const { path } of session.files.logs) {
      const changedMs = changeOf(path, session.modifiedMs)
      if (changedMs !== null) last = Math.max(last ?? 0, changedMs)
    }
    return last
  }
}

function isFileAt(path: string): boolean {
  return changeOf(path, 0) !== null
}

/** What cannot be looked at may still be there: it counts as there and unchanged. */
function changeOf(path: string, archivedMs: number): number | null {
  try {
    const facts = lstatSync(path, { throwIfNoEntry: false })
    return facts?.isFile() === true ? facts.mtimeMs : null
  } catch {
    return archivedMs
  }
}
