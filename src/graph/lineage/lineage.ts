// Links between sessions: resumed, continued, forked and split ones, found by small digests of records that they share. It
// opens no file.

import { contentDigest } from '../../model/content-digest.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { recordedId, type SessionId, sessionId, threadId } from '../../model/ids.ts'
import type { BranchSummary, CopiedPart, LineageLink, SessionDigest, SessionGraph } from '../../model/session.ts'
import { isDescentShown, keysOf, originalsFirst } from './order.ts'

/** What linking needs to know of one session. `changedMs`: the last change of its files. */
export function digestSession(graph: SessionGraph, changedMs?: number): SessionDigest {
  const missing: string[] = []
  for (const { event, link } of graph.nodes.values()) {
    const named = link === 'orphan' ? event.parent : event.logicalParent
    if (named && !graph.nodes.has(named)) missing.push(named)
  }
  const digest = new EventDigest(graph.session)
  for (const event of graph.events) digest.see(event)
  return {
    ...digest.digest(changedMs),
    messageIds: messageIdsOf(graph),
    missingParents: missing,
    summaries: graph.summaries,
  }
}

/** The part of it that events show without their graph: what finding copies needs. It takes the events one by one. */
export class EventDigest {
  private readonly session: SessionId
  private readonly stated: StatedKin
  private readonly records = emptyRecords()
  private readonly seen = new Set<string>()
  private place = 0
  private startedAt: SessionDigest['startedAt'] = null
  private endedAt: SessionDigest['endedAt'] = null

  constructor(session: SessionId) {
    this.session = session
    this.stated = new StatedKin(session)
  }

  see(event: SessionEvent): void {
    const { at, kind, thread } = event
    const isMain = thread === threadId(this.session)
    this.stated.read(event)
    if (isMain) this.place++
    if (at !== null && (this.startedAt === null || at < this.startedAt)) this.startedAt = at
    // Claude Code writes the same caveat line into every session of a run: it says nothing about descent. Forks
    // leave subagents behind, so their records say nothing either.
    if (kind === 'meta' || hasFlag(event, 'copy') || !isMain) return
    const uuid = event.stated.uuid
    if (uuid === undefined || this.seen.has(uuid)) return
    this.seen.add(uuid)
    if (at !== null && (this.endedAt === null || at > this.endedAt)) this.endedAt = at
    addRecord(this.records, event, uuid, this.place, this.stated.recorded)
  }

  /** `changedMs`: the last change of the session's files. */
  digest(changedMs?: number): SessionDigest {
    const { session, stated, records, startedAt, endedAt } = this
    return {
      ...{ session, startedAt, endedAt },
      ...records,
      ...(changedMs !== undefined && { changedMs }),
      messageIds: records.messages.filter(id => id !== null),
      otherSessions: [...stated.other],
      forkedFrom: [...stated.forkedFrom],
      continuedIn: [...stated.continuedIn],
      missingParents: [],
      summaries: [],
    }
  }
}

function emptyRecords() {
  return {
    uuids: [] as string[],
    contents: [] as number[],
    times: [] as SessionEvent['at'][],
    places: [] as number[],
    messages: [] as (string | null)[],
    forks: [] as (string | null)[],
    carries: [] as (string | null)[],
    events: [] as SessionEvent['id'][],
  }
}

function addRecord(
  records: ReturnType<typeof emptyRecords>,
  event: SessionEvent,
  uuid: string,
  place: number,
  recorded: string,
): void {
  const { message, at, id } = event
  const isOfApi = message !== undefined && message.model !== '<synthetic>' && message.id !== id
  const carried = event.stated.session
  records.uuids.push(uuid)
  records.contents.push(contentDigest(event))
  records.times.push(at)
  records.places.push(place)
  records.messages.push(isOfApi ? message.id : null)
  records.forks.push(event.stated.forkedFrom?.session ?? null)
  records.carries.push(carried === undefined || carried === recorded ? null : carried)
  records.events.push(id)
}

/** Ids that the API gave; stand-ins of Claude Code's or of ours say nothing about other sessions. */
function messageIdsOf(graph: SessionGraph): string[] {
  const ids: string[] = []
  for (const { id, model, events } of graph.messages) if (model !== '<synthetic>' && id !== events[0]) ids.push(id)
  return ids
}

/** Sessions that the record names as the one in which its own goes on. */
export function continuedIn(event: SessionEvent): (string | undefined)[] {
  const detail = (event.kind === 'link' && event.wireType === 'continued-in' && event.detail) || {}
  return [event.stated.continuedIn ?? detail.continuedInSessionId, detail.continuedIn ?? detail.nextSessionId]
}

/** Sessions that records name outright. */
class StatedKin {
  readonly other = new Set<string>()
  readonly forkedFrom = new Set<string>()
  readonly continuedIn = new Set<string>()
  /** By which its records name the session itself. */
  readonly recorded: string
  private readonly session: SessionId

  constructor(session: SessionId) {
    this.session = session
    this.recorded = recordedId(session)
  }

  read(event: SessionEvent): void {
    const { uuid, session, forkedFrom, parentSession } = event.stated
    // Agent files may be shared between sessions; only the main thread speaks for its own.
    const isMain = event.thread === (this.session as string)
    this.add(this.other, isMain && uuid !== undefined ? session : undefined)
    this.add(this.forkedFrom, forkedFrom?.session)
    this.add(this.forkedFrom, parentSession)
    for (const next of continuedIn(event)) this.add(this.continuedIn, next)
  }

  private add(set: Set<string>, id: string | undefined): void {
    if (id && id !== this.recorded) set.add(id)
  }
}

/** What several sessions have in common: who had each record first. */
class Kinship {
  readonly digests: readonly SessionDigest[]
  readonly records: SharedIds
  readonly messages: SharedIds
  readonly owners: UuidOwners
  private readonly first = new Map<string, SessionDigest>()

  constructor(digests: readonly SessionDigest[]) {
    const ordered = originalsFirst(digests)
    this.digests = ordered
    this.records = new SharedIds(ordered, recordKeys)
    this.messages = new SharedIds(ordered, digest => digest.messageIds)
    this.owners = new UuidOwners(ordered)
    for (const digest of ordered) {
      for (let at = 0; at < digest.uuids.length; at++) {
        for (const key of keysOf(digest, at)) if (!this.first.has(key)) this.first.set(key, digest)
      }
    }
  }

  /** The session that has the same record or answer and had it first; undefined where that is this one. */
  originalOf(digest: SessionDigest, at: number): SessionDigest | undefined {
    for (const key of keysOf(digest, at)) {
      const original = this.first.get(key)
      if (original === undefined || original === digest || this.isStranger(digest, original, key)) continue
      return original
    }
    return undefined
  }

  private isStranger(digest: SessionDigest, { session }: SessionDigest, key: string): boolean {
    return key.startsWith('message ')
      ? this.owners.areStrangers(digest, session)
      : !this.owners.shareIds(digest, session)
  }
}

/**
 * What each session has copied: all until the last record that another session had first, or that says so itself. Sessions
 * that copied nothing are left out.
 */
export function copiedParts(digests: readonly SessionDigest[]): Map<SessionId, CopiedPart> {
  const kinship = new Kinship(digests)
  const parts = new Map<SessionId, CopiedPart>()
  for (const digest of kinship.digests) {
    const part = copiedPart(digest, kinship)
    if (part !== undefined) parts.set(digest.session, part)
  }
  return parts
}

function copiedPart(digest: SessionDigest, kinship: Kinship): CopiedPart | undefined {
  const { events, times, forks, messages, session } = digest
  const answers = { copied: 0, own: 0 }
  let part: CopiedPart | undefined
  let until: CopiedPart['until'] = null
  for (const [at, event] of events.entries()) {
    const original = kinship.originalOf(digest, at)
    const from = original?.session ?? forks[at] ?? undefined
    if (typeof messages[at] === 'string') answers[from === undefined ? 'own' : 'copied']++
    // A copy begins with what it copied: a record that is elsewhere too, after many of its own, says nothing of those.
    if (from === undefined || answers.own > answers.copied) continue
    const time = times[at] ?? null
    if (time !== null && (until === null || time > until)) until = time
    part = { from: sessionId(from), until, last: event }
    if (original !== undefined && !isDescentShown(original, digest)) part.isInferred = true
  }
  return part?.from === session ? undefined : part
}

/** Links of every session to the ones it comes from or continues in. Linear in the number of ids. */
export function linkSessions(digests: readonly SessionDigest[]): Map<SessionId, LineageLink[]> {
  const links = new Map<SessionId, LineageLink[]>()
  for (const digest of digests) links.set(digest.session, statedLinks(digest))
  const { records, messages, owners } = new Kinship(digests)
  const missing = new Map(digests.map(digest => [digest.session, new Set(digest.missingParents)]))
  const byId = new Map(digests.map(digest => [digest.session, digest]))
  for (const digest of digests) {
    const own = links.get(digest.session) as LineageLink[]
    const copied = known(records.originOf(digest), origin => owners.shareIds(digest, origin))
    const resumed = copied
      ? undefined
      : known(messages.originOf(digest), origin => !owners.areStrangers(digest, origin))
    const certain = (session: SessionId, how: string) => {
      const original = byId.get(session)
      return original === undefined || isDescentShown(original, digest) ? how : `${how}; which was first is inferred`
    }
    if (copied) {
      const relation = copied.isWhole ? 'copied-from' : 'forked-from'
      const how = certain(copied.session, 'its records have the same uuids')
      add(own, { relation, session: copied.session, how })
    } else if (resumed) {
      const how = certain(resumed.session, 'its answers have the same message ids')
      add(own, { relation: 'resumed-from', session: resumed.session, how })
    }
    const inherited = missing.get((copied ?? resumed)?.session ?? digest.session)
    for (const parent of digest.missingParents) {
      const owner = owners.ownerOf(parent)
      if (owner === undefined || owner === digest.session || owners.areStrangers(digest, owner)) continue
      // A copied record states where its original continues from, not where the copy does.
      if ((copied ?? resumed) && inherited?.has(parent)) continue
      add(own, { relation: 'resumed-from', session: owner, how: 'it goes on from a record of that session' })
    }
    addCarriedIds(own, digest)
  }
  return links
}

function known(origin: Origin | undefined, isKnown: (session: SessionId) => boolean): Origin | undefined {
  return origin !== undefined && isKnown(origin.session) ? origin : undefined
}

/** A record is the same only where it says the same: uuids are unique within a session. */
function recordKeys({ uuids, contents }: SessionDigest): string[] {
  return uuids.map((uuid, at) => `${uuid} ${contents[at]}`)
}

/** Which session has a uuid, and which sessions use the same uuids for different records. */
class UuidOwners {
  private readonly owners = new Map<string, { digest: SessionDigest; content: number | undefined; isShared: boolean }>()
  private readonly digests = new Map<SessionId, SessionDigest>()
  private readonly contents = new Map<SessionId, Map<string, number | undefined>>()
  private readonly compared = new Map<string, { equal: number; different: number }>()

  /** `digests`: as `originalsFirst` orders them. */
  constructor(digests: readonly SessionDigest[]) {
    for (const digest of digests) {
      this.digests.set(digest.session, digest)
      for (const [at, uuid] of digest.uuids.entries()) this.add(digest, uuid, digest.contents[at])
    }
  }

  private add(digest: SessionDigest, uuid: string, content: number | undefined): void {
    const owner = this.owners.get(uuid)
    if (owner === undefined) this.owners.set(uuid, { digest, content, isShared: false })
    else if (owner.content !== content) owner.isShared = true
  }

  /** The first that has it; undefined where several have it for different records. */
  ownerOf(uuid: string): SessionId | undefined {
    const owner = this.owners.get(uuid)
    return owner === undefined || owner.isShared ? undefined : owner.digest.session
  }

  has(session: SessionId, uuid: string): boolean {
    return this.contentsOf(session).has(uuid)
  }

  /** Whether most uuids that both have are of equal records. */
  shareIds(digest: SessionDigest, session: SessionId): boolean {
    const { equal, different } = this.compare(digest, session)
    return equal > different
  }

  /** Whether both number their records alike. */
  areStrangers(digest: SessionDigest, session: SessionId): boolean {
    const { equal, different } = this.compare(digest, session)
    return different > equal
  }

  private compare(digest: SessionDigest, session: SessionId): { equal: number; different: number } {
    const pair = `${digest.session} ${session}`
    const known = this.compared.get(pair)
    if (known !== undefined) return known
    const others = this.contentsOf(session)
    const counts = { equal: 0, different: 0 }
    for (const [at, uuid] of digest.uuids.entries()) {
      if (others.has(uuid)) counts[others.get(uuid) === digest.contents[at] ? 'equal' : 'different']++
    }
    this.compared.set(pair, counts)
    return counts
  }

  private contentsOf(session: SessionId): Map<string, number | undefined> {
    const known = this.contents.get(session)
    if (known !== undefined) return known
    const { uuids = [], contents = [] } = this.digests.get(session) ?? {}
    const made = new Map(uuids.map((uuid, at) => [uuid, contents[at]]))
    this.contents.set(session, made)
    return made
  }
}

function statedLinks(digest: SessionDigest): LineageLink[] {
  const links: LineageLink[] = []
  for (const session of digest.forkedFrom) {
    links.push({ relation: 'forked-from', session: sessionId(session), how: 'its records say so' })
  }
  for (const session of digest.continuedIn) {
    links.push({ relation: 'continued-in', session: sessionId(session), how: 'a record says so' })
  }
  return links
}

/** 2.1.45 leaves the old session's id on the records that a fork copies. */
function addCarriedIds(own: LineageLink[], digest: SessionDigest): void {
  for (const id of digest.otherSessions) {
    add(own, { relation: 'forked-from', session: sessionId(id), how: 'some of its records carry that id' })
  }
}

/** One link for each other session: the first and surest. */
function add(own: LineageLink[], link: LineageLink): void {
  if (!own.some(known => known.session === link.session)) own.push(link)
}

/** Summaries by the session that has the leaf they name: a folder's titles, wherever they were written. */
export function summariesBySession(digests: readonly SessionDigest[]): Map<SessionId, BranchSummary[]> {
  const owners = new UuidOwners(originalsFirst(digests))
  const found = new Map<SessionId, BranchSummary[]>()
  for (const digest of digests) {
    for (const summary of digest.summaries) {
      const owner = owners.has(digest.session, summary.leaf) ? digest.session : owners.ownerOf(summary.leaf)
      if (owner === undefined) continue
      const list = found.get(owner)
      if (list) list.push(summary)
      else found.set(owner, [summary])
    }
  }
  return found
}

/** What a session's ids say about the session it was made from. */
interface Origin {
  session: SessionId
  /** True when it has no id of its own. */
  isWhole: boolean
}

class SharedIds {
  private readonly owners = new Map<string, SessionDigest>()
  private readonly idsOf: (digest: SessionDigest) => readonly string[]

  /** `digests`: as `originalsFirst` orders them. */
  constructor(digests: readonly SessionDigest[], idsOf: (digest: SessionDigest) => readonly string[]) {
    this.idsOf = idsOf
    for (const digest of digests) {
      for (const id of idsOf(digest)) if (!this.owners.has(id)) this.owners.set(id, digest)
    }
  }

  /** The session whose id comes last among those that `digest` did not have first: what it was taken from directly. */
  originOf(digest: SessionDigest): Origin | undefined {
    let origin: SessionId | undefined
    let isWhole = true
    for (const id of this.idsOf(digest)) {
      const owner = this.owners.get(id)
      if (owner === undefined || owner.session === digest.session) isWhole = false
      else origin = owner.session
    }
    return origin === undefined ? undefined : { session: origin, isWhole }
  }
}
