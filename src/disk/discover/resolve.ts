// Says which sessions there are under all roots, and which of them a user means by a word. Paths are not looked at
// here: a path is a root to `discover`.

import { recordedId } from '../../model/ids.ts'
import type { ByteSource, Discovery, SessionFiles } from '../../model/source.ts'
import { mergePlaces, type PlacedSession } from './merge.ts'
import { placesOf } from './same-session.ts'

/** All sessions of all discoveries, each once, in the order in which they were found; `source` has their bytes. */
export function mergeDiscoveries(discoveries: readonly Discovery[], source: ByteSource): PlacedSession[] {
  const byId = new Map<string, [SessionFiles, ...SessionFiles[]]>()
  for (const session of placesOf(discoveries, source)) {
    const places = byId.get(session.id)
    if (places === undefined) byId.set(session.id, [session])
    else places.push(session)
  }
  return [...byId.values()].map(places => mergePlaces(places, source))
}

export type Resolution = { found: SessionFiles } | { candidates: SessionFiles[] } | { none: true }

export interface ResolveOptions {
  /** A session's title, where it is known: used when neither id nor prefix fits. */
  titleOf?: (session: SessionFiles) => string | undefined
  /** What `last` means: the session with the latest record. */
  latest?: SessionFiles | undefined
}

/**
 * Takes merged sessions: unmerged ones would compete with their own copies. `text`: a full id, a prefix of one, `last`, or a title. File names count as ids.
 * The first of these that fits anything decides, and several sessions that fit it equally are candidates.
 */
export function resolveSession(
  sessions: readonly SessionFiles[],
  text: string,
  options: ResolveOptions = {},
): Resolution {
  const wanted = text.trim()
  if (wanted === '') return { none: true }
  const lower = wanted.toLowerCase()
  const attempts: (() => SessionFiles[])[] = [
    () => sessions.filter(session => session.id === wanted),
    () => sessions.filter(session => namesOf(session).includes(wanted)),
    () => (lower === 'last' && options.latest !== undefined ? [options.latest] : []),
    () => sessions.filter(session => namesOf(session).some(name => isBeginningOf(name, lower))),
    () => sessions.filter(session => options.titleOf?.(session) === wanted),
    () => sessions.filter(session => options.titleOf?.(session)?.toLowerCase().includes(lower) === true),
  ]
  for (const attempt of attempts) {
    const [first, ...more] = attempt()
    if (first !== undefined) return more.length === 0 ? { found: first } : { candidates: [first, ...more] }
  }
  return { none: true }
}

/** Also of the two parts of an id that distinguishes sessions: `11111111~3f`. */
function isBeginningOf(name: string, lower: string): boolean {
  const [start = '', digest] = lower.split('~')
  const recorded = recordedId(name)
  if (digest === undefined) return name.toLowerCase().startsWith(lower)
  return recorded.toLowerCase().startsWith(start) && name.slice(recorded.length + 1).startsWith(digest)
}

function namesOf(session: SessionFiles): string[] {
  const names = session.logs.filter(log => log.role === 'session').map(log => log.nameSession)
  return [session.id, recordedId(session.id), ...names.filter(name => name !== undefined)]
}
