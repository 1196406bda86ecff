// Finds the sessions that people name to questions about the archive, by the same words that name sessions elsewhere.

import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { ForgottenFile } from '../../archive/maintain/forget.ts'
import { tracedSessions } from '../../archive/maintain/traces.ts'
import { type ArchivedSession, archivedAndLive } from '../../archive/read/sessions.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { type Resolution, resolveSession } from '../../disk/discover/resolve.ts'
import { canonicalPlace } from '../../files/place.ts'
import { recordedId } from '../../model/ids.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import { datedSession, latestRows, quickRows, titlesOf } from '../../session/scan/quick-rows.ts'
import { countOf } from '../../view/words.ts'
import type { Clew } from '../clew.ts'
import { NotFoundError, UserError } from '../error.ts'
import { namedPath } from '../paths.ts'
import { candidateLines, type RowsOf } from '../sessions/find.ts'
import { projectsOf } from '../sessions/rows.ts'
import { liveDiscoveries } from './archive-open.ts'

/** The archived sessions with that id, in all homes; an error where there is none, or where several ids fit. */
function archivedNamed(all: readonly ArchivedSession[], text: string, clew: Clew): ArchivedSession[] {
  const { ids } = idsNamed([all.map(session => session.files)], text, clew)
  const [id] = ids
  const count = countOf(new Set(all.map(session => session.id)).size, 'session')
  if (id === undefined) throw new NotFoundError(`nothing is archived of "${text}" (of ${count}); clew ls lists them`)
  return all.filter(session => session.id === id)
}

/** Each named session once. */
export async function allNamed(archive: Archive, texts: readonly string[], clew: Clew): Promise<ArchivedSession[]> {
  const { homes } = await archivedAndLive(archive, await liveDiscoveries(archive, clew))
  const all = homes.flatMap(home => home.sessions)
  const byKey = new Map<string, ArchivedSession>()
  for (const text of texts) {
    for (const session of archivedNamed(all, text, clew)) {
      const key = `${session.home}\0${session.slug}\0${session.id}`
      if (!byKey.has(key)) byKey.set(key, session)
    }
  }
  return [...byKey.values()]
}

/** A session that is archived or on disk. */
export interface NamedSession {
  id: string
  title?: string
  /** It was found by a part of its title alone, which another session may get tomorrow. */
  isGuess: boolean
  /** The one of its several files that was named by its path. */
  file?: ForgottenFile
}

/** The one session that a text names among all that are archived and all that are on disk. */
export async function anyNamed(
  archive: Archive,
  text: string,
  discoveries: readonly Discovery[],
  clew: Clew,
): Promise<NamedSession> {
  const known = await archivedAndLive(archive, discoveries)
  const archived = known.homes.flatMap(home => home.sessions)
  const live = known.discoveries.flatMap(({ sessions }) => sessions)
  const mains = mainFiles([...live, ...archived.map(({ files }) => files)])
  const named = fileNamed(text, mains)
  if (named !== undefined) return named
  const groups = [live, archived.map(session => session.files)]
  const { ids, isByTitle } = idsNamed(groups, text, clew)
  const [id] = ids
  if (id === undefined) return { id: await tracedNamed(archive, text, discoveries, clew), isGuess: false }
  if (!isByTitle) refuseOneOfSeveral(text, id, [...(mains.get(id) ?? [])])
  const all = titlesIn(groups, clew)
  const titles = [...all].filter(([session]) => session.id === id).map(([, title]) => title)
  const [title] = titles
  return {
    ...idOrFile(id, mains.get(id)),
    ...(title !== undefined && { title }),
    isGuess: isByTitle && !titles.includes(text.trim()),
  }
}

/** The places of the main files of each session, on disk and in the archive. */
function mainFiles(sessions: readonly SessionFiles[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { id, logs } of sessions) {
    for (const { role, path } of logs) {
      if (role !== 'session') continue
      const places = found.get(id) ?? new Set()
      found.set(id, places.add(canonicalPlace(path)))
    }
  }
  return found
}

/** The session of a path; where it has other files too, that file alone. */
function fileNamed(text: string, mains: ReadonlyMap<string, ReadonlySet<string>>): NamedSession | undefined {
  if (!/[\\/]/.test(text)) return undefined
  const place = canonicalPlace(namedPath(text))
  for (const [id, places] of mains) {
    if (!places.has(place)) continue
    if (places.size === 1) return { ...idOrFile(id, places), isGuess: false }
    const recorded = recordedId(id)
    const folder = place.replace(/\.jsonl$/i, '')
    // The folder that has the session's own name is that of all its files in this project.
    const isShared =
      basename(folder) === recorded && [...places].some(one => one !== place && dirname(one) === dirname(place))
    return { id: recorded, isGuess: false, file: { place, ...(!isShared && folder !== place && { folder }) } }
  }
  return undefined
}

/** What goes of a session: where another one has its id, too, its own file and no more. */
function idOrFile(id: string, places: ReadonlySet<string> | undefined): Pick<NamedSession, 'id' | 'file'> {
  const recorded = recordedId(id)
  const [place, ...more] = places ?? []
  if (recorded === id || place === undefined) return { id: recorded }
  if (more.length > 0) {
    const lines = [place, ...more].sort().map(one => `  ${one}`)
    throw new UserError(`another session has the id of ${id} too; name its files by their paths\n${lines.join('\n')}`)
  }
  const folder = place.replace(/\.jsonl$/i, '')
  return { id: recorded, file: { place, ...(folder !== place && { folder }) } }
}

/** The name of one file says neither that all are meant nor that this one alone is. */
function refuseOneOfSeveral(text: string, id: string, places: readonly string[]): void {
  const lower = text.trim().toLowerCase()
  if (places.length < 2 || lower === 'last' || id.toLowerCase().startsWith(lower)) return
  const lines = [...places].sort().map(place => `  ${place}`)
  throw new UserError(
    `"${text}" is one of ${places.length} files of session ${id}\n${lines.join('\n')}\nthe id names all of them, a path one alone`,
  )
}

/** The id of a session that is gone, but named in a prompt history, by a folder, or by having been forgotten. */
async function tracedNamed(
  archive: Archive,
  text: string,
  discoveries: readonly Discovery[],
  { home }: Clew,
): Promise<string> {
  const start = text.trim().toLowerCase()
  const ids = [...(await tracedSessions(archive, discoveries))]
  const fitting = start.length < 4 ? [] : ids.filter(id => id.toLowerCase().startsWith(start)).sort()
  const [id, ...more] = fitting.filter(one => one.toLowerCase() === start).concat(fitting)
  // Its words may be where no list has it: in an index that was not refreshed since, in what a killed command left.
  if (id === undefined && isWholeId(start) && existsSync(home)) return start
  if (id === undefined) throw new NotFoundError(`no session "${text}" is archived or on disk; clew ls lists them`)
  if (id.toLowerCase() !== start && more.length > 0)
    throw new UserError(`"${text}" is not unique; it matches\n${fitting.map(one => `  ${one}`).join('\n')}`)
  return id
}

function isWholeId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** Sessions of one place: what names one of them may are in the file of another. */
type Group = readonly SessionFiles[]

/** None or one id. Titles count only where no id fits, since they are in the files. */
function idsNamed(groups: readonly Group[], text: string, clew: Clew): { ids: string[]; isByTitle: boolean } {
  const sessions = groups.flat()
  const latest = text.trim().toLowerCase() === 'last' ? latestRows(sessions, clew.source, 1)[0]?.session : undefined
  const byId = idsOf(resolveSession(sessions, text, { latest }))
  if (byId.length === 1) return { ids: byId, isByTitle: false }
  const isByTitle = byId.length === 0 && text.trim() !== ''
  const titles = isByTitle ? titlesIn(groups, clew) : new Map<SessionFiles, string>()
  const ids = isByTitle ? idsOf(resolveSession(sessions, text, { titleOf: session => titles.get(session) })) : byId
  if (ids.length > 1) throw new UserError(severalText(text, ids, groups, clew))
  return { ids, isByTitle }
}

/** One session may be found in several places. */
function idsOf(found: Resolution): string[] {
  if ('found' in found) return [found.found.id]
  return 'candidates' in found ? [...new Set(found.candidates.map(session => session.id as string))] : []
}

function titlesIn(groups: readonly Group[], { source }: Clew): Map<SessionFiles, string> {
  return new Map(groups.flatMap(sessions => [...titlesOf(quickRows(sessions, source))]))
}

function severalText(text: string, ids: readonly string[], groups: readonly Group[], clew: Clew): string {
  const sessions = groups.flat()
  const candidates = ids.flatMap(id => sessions.find(session => session.id === id) ?? [])
  const rowsOf: RowsOf = some => quickRows(some, clew.source)
  const projects = projectsOf(sessions.map(session => datedSession(session, clew.source)))
  const lines = candidateLines(candidates, rowsOf, projects, clew.timezone)
  return `"${text}" is not unique; it matches\n${lines.join('\n')}`
}
