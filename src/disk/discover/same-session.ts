// Decides whether what several places have under one session id is one session (a copy, a continuation) or several that share
// an id by chance. The first bytes of their files show it; no file is read whole, and none whose id occurs once.

import { createHash } from 'node:crypto'
import { keyedSession, type SessionId } from '../../model/ids.ts'
import type { ByteSource, Discovery, SessionFiles } from '../../model/source.ts'
import { withEnds } from '../read/ends.ts'

/** Every place of every session, in the order in which they were found; those of one session have one id, no others have it. */
export function placesOf(discoveries: readonly Discovery[], source: ByteSource): SessionFiles[] {
  const places = discoveries.flatMap(({ sessions }) => sessions)
  const byId = new Map<SessionId, SessionFiles[]>()
  for (const place of places) {
    const known = byId.get(place.id)
    if (known) known.push(place)
    else byId.set(place.id, [place])
  }
  const keys = new Map<SessionFiles, SessionId>()
  for (const [id, same] of byId) for (const [place, key] of keysOf(id, same, source)) keys.set(place, key)
  return keys.size === 0 ? places : places.map(place => withId(place, keys.get(place)))
}

function withId(place: SessionFiles, id: SessionId | undefined): SessionFiles {
  return id === undefined ? place : { ...place, id }
}

/** What the beginning of one place says about where its records come from. */
interface Beginning {
  place: SessionFiles
  /** Ids of its first records and answers. */
  ids: ReadonlySet<string>
  /** It goes on from this record, which is in another file. */
  continues: string | undefined
}

/** Empty where all places are one session. */
function keysOf(id: SessionId, places: readonly SessionFiles[], source: ByteSource): [SessionFiles, SessionId][] {
  if (places.length < 2) return []
  const beginnings = places.map(place => beginningOf(place, source))
  const begun = beginnings.filter(({ ids, continues }) => ids.size > 0 && continues === undefined)
  const groups = groupsOf(begun)
  if (groups.length < 2) return []
  for (const loose of beginnings.filter(one => !begun.includes(one))) groupFor(loose, groups, source).push(loose)
  const digests = groups.map(digestOf)
  return groups.flatMap((group, at) =>
    group.map(({ place }): [SessionFiles, SessionId] => [place, keyedSession(id, shortest(digests, at))]),
  )
}

function beginningOf(place: SessionFiles, source: ByteSource): Beginning {
  const ids = new Set<string>()
  let continues: string | undefined
  for (const log of place.logs) {
    if (log.role !== 'session') continue
    const head = withEnds(log, source, ends => ends.headText()) ?? ''
    const found = recordIdsIn(head)
    const [, parent] = parentField.exec(head) ?? []
    if (ids.size === 0 && parent !== undefined && !found.has(parent)) continues = parent
    for (const one of found) ids.add(one)
    // Records without ids are known by the first of them.
    if (found.size === 0 && head.trim() !== '') ids.add(`line ${head.trimStart().split('\n', 1)[0]}`)
  }
  return { place, ids, continues }
}

const parentField = /"(?:logicalParentUuid|parentUuid)"\s*:\s*"([^"\\]+)"/

const idField = /"uuid"\s*:\s*"([\w.-]{8,200})"|"id"\s*:\s*"(msg_[\w.-]{8,200})"/g

/** The ids of records and answers in a part of a log. */
export function recordIdsIn(part: string): Set<string> {
  return new Set([...part.matchAll(idField)].map(([, uuid, message]) => uuid ?? message ?? ''))
}

/** Those that have an id in common, directly or through others; each group and their order are those of the ids. */
function groupsOf(begun: readonly Beginning[]): Beginning[][] {
  let groups: Beginning[][] = []
  for (const one of begun) {
    const isRelated = (group: readonly Beginning[]) => group.some(other => [...one.ids].some(id => other.ids.has(id)))
    groups = [...groups.filter(group => !isRelated(group)), [one, ...groups.filter(isRelated).flat()]]
  }
  return groups.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
}

/** The least of the ids with which its places begin. */
function nameOf(group: readonly Beginning[]): string {
  return group.map(({ ids: [first = ''] }) => first).sort()[0] as string
}

/** A place that has no beginning of its own is of the session that it goes on from, else of that in the same folder. */
function groupFor({ place, continues }: Beginning, groups: readonly Beginning[][], source: ByteSource): Beginning[] {
  const isOrigin = (group: readonly Beginning[]) =>
    group.some(one => one.ids.has(continues ?? '') || tailIds(one.place, source).has(continues ?? ''))
  const found = continues === undefined ? undefined : groups.find(isOrigin)
  const near = groups.find(group => group.some(one => one.place.slug === place.slug))
  return found ?? near ?? (groups[0] as Beginning[])
}

function tailIds({ logs }: SessionFiles, source: ByteSource): Set<string> {
  const mains = logs.filter(({ role }) => role === 'session')
  return new Set(mains.flatMap(log => withEnds(log, source, ends => ends.tailUuids()) ?? []))
}

function digestOf(group: readonly Beginning[]): string {
  return createHash('sha256').update(nameOf(group)).digest('hex')
}

/** As many digits as tell it from the others. */
function shortest(digests: readonly string[], at: number): string {
  const own = digests[at] as string
  for (let length = 4; length < own.length; length += 4) {
    const start = own.slice(0, length)
    if (digests.every((other, n) => n === at || !other.startsWith(start))) return start
  }
  return own
}
