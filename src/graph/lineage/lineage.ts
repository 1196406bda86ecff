// Links between sessions: resumed, continued, forked and split ones, found by small digests of records that they share. It
// opens no file.

import type { Instant } from '../../base/instant.ts'
import { asObject, asString } from '../../base/json.ts'
import { contentDigest } from '../../model/content-digest.ts'
import { hasFlag, type SessionEvent, uuidOf } from '../../model/event.ts'
import { type SessionId, sessionId, threadId } from '../../model/ids.ts'
import type { BranchSummary, LineageLink, SessionDigest, SessionGraph } from '../../model/session.ts'

/** What linking needs to know of one session. */
export function digestSession(graph: SessionGraph): SessionDigest {
  const stated = new StatedKin(graph.session)
  const mainThread = threadId(graph.session)
  const uuids: string[] = []
  const contents: number[] = []
  let startedAt: SessionDigest['startedAt'] = null
  let endedAt: SessionDigest['endedAt'] = null
  for (const event of graph.events) {
    stated.read(event)
    if (event.at !== null && (startedAt === null || event.at < startedAt)) startedAt = event.at
    // Claude Code writes the same caveat line into every session of a run: it says nothing about descent. Forks
    // leave subagents behind, so their records say nothing either.
    if (event.kind === 'meta' || hasFlag(event, 'copy') || event.thread !== mainThread) continue
    const uuid = uuidOf(event)
    if (uuid === undefined) continue
    if (event.at !== null && (endedAt === null || event.at > endedAt)) endedAt = event.at
    uuids.push(uuid)
    contents.push(contentDigest(event))
  }
  const missing: string[] = []
  for (const { event, link } of graph.nodes.values()) {
    const named = link === 'orphan' ? event.parent : event.logicalParent
    if (named && !graph.nodes.has(named)) missing.push(named)
  }
  return {
    session: graph.session,
    startedAt,
    endedAt,
    uuids,
    contents,
    messageIds: messageIdsOf(graph),
    otherSessions: [...stated.other],
    forkedFrom: [...stated.forkedFrom],
    continuedIn: [...stated.continuedIn],
    missingParents: missing,
    summaries: graph.summaries,
  }
}

/** Ids that the API gave; stand-ins of Claude Code's or of ours say nothing about other sessions. */
function messageIdsOf(graph: SessionGraph): string[] {
  const ids: string[] = []
  for (const { id, model, events } of graph.messages) if (model !== '<synthetic>' && id !== events[0]) ids.push(id)
  return ids
}

/** Sessions that records name outright. */
class StatedKin {
  readonly other = new Set<string>()
  readonly forkedFrom = new Set<string>()
  readonly continuedIn = new Set<string>()
  private readonly session: SessionId

  constructor(session: SessionId) {
    this.session = session
  }

  read(event: SessionEvent): void {
    const { value } = event.record
    if (value === undefined) return
    // Agent files may be shared between sessions; only the main thread speaks for its own.
    const isMain = event.thread === (this.session as string)
    this.add(this.other, isMain && uuidOf(event) !== undefined ? value['sessionId'] : undefined)
    this.add(this.forkedFrom, asObject(value['forkedFrom'])?.['sessionId'])
    this.add(this.forkedFrom, value['parentSessionId'])
    this.add(this.continuedIn, value['continuedInSessionId'])
    if (event.wireType === 'continued-in') this.add(this.continuedIn, value['continuedIn'] ?? value['nextSessionId'])
  }

  private add(set: Set<string>, id: unknown): void {
    const text = asString(id)
    if (text && text !== this.session) set.add(text)
  }
}

/** Links of every session to the ones it comes from or continues in. Linear in the number of ids. */
export function linkSessions(digests: readonly SessionDigest[]): Map<SessionId, LineageLink[]> {
  const links = new Map<SessionId, LineageLink[]>()
  for (const digest of digests) links.set(digest.session, statedLinks(digest))
  const ordered = originalsFirst(digests)
  const records = new SharedIds(ordered, recordKeys)
  const messages = new SharedIds(ordered, digest => digest.messageIds)
  const owners = new UuidOwners(ordered)
  const missing = new Map(digests.map(digest => [digest.session, new Set(digest.missingParents)]))
  for (const digest of digests) {
    const own = links.get(digest.session) as LineageLink[]
    const copied = known(records.originOf(digest), origin => owners.shareIds(digest, origin))
    const resumed = copied
      ? undefined
      : known(messages.originOf(digest), origin => !owners.areStrangers(digest, origin))
    if (copied) {
      const relation = copied.isWhole ? 'copied-from' : 'forked-from'
      add(own, { relation, session: copied.session, how: 'its records have the same uuids' })
    } else if (resumed) {
      add(own, { relation: 'resumed-from', session: resumed.session, how: 'its answers have the same message ids' })
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
    const others = this.contentsOf(session)
    const counts = { equal: 0, different: 0 }
    for (const [at, uuid] of digest.uuids.entries()) {
      if (others.has(uuid)) counts[others.get(uuid) === digest.contents[at] ? 'equal' : 'different']++
    }
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
export interface Origin {
  session: SessionId
  /** True when it has no id of its own. */
  isWhole: boolean
}

export class SharedIds {
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

/**
 * Earlier sessions first. Most versions copy times along: of those that begin at the same moment, one whose records carry
 * another session's id is a copy, and the one that ended first was there before the other went on. What is still equal keeps
 * its order.
 */
export function originalsFirst(digests: readonly SessionDigest[]): SessionDigest[] {
  return [...digests].sort((one, other) => {
    const carried = Math.sign(one.otherSessions.length) - Math.sign(other.otherSessions.length)
    const started = compareInstants(one.startedAt, other.startedAt)
    return started || carried || compareInstants(one.endedAt, other.endedAt) || one.uuids.length - other.uuids.length
  })
}

/** Those without a time come last. */
function compareInstants(one: Instant, other: Instant): number {
  if (one === other) return 0
  if (one === null) return 1
  return other === null || one < other ? -1 : 1
}
