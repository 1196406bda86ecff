// Which session an id belongs to first, and from which other session a session took the ids that they share.

import type { SessionId } from '../../model/ids.ts'
import type { SessionDigest } from '../../model/session.ts'

/** What a session's ids tell of the session it was made from. */
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

  ownerOf(id: string): SessionId | undefined {
    return this.owners.get(id)?.session
  }

  /** The session whose id stands last among those that `digest` did not have first: what it was taken from directly. */
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
 * another session's id is a copy, and one that ends where they part has fewer records. What is still equal keeps its order.
 */
export function originalsFirst(digests: readonly SessionDigest[]): SessionDigest[] {
  return [...digests].sort((one, other) => {
    if (one.startedAt !== other.startedAt) {
      if (one.startedAt === null) return 1
      if (other.startedAt === null) return -1
      return one.startedAt < other.startedAt ? -1 : 1
    }
    const carried = Math.sign(one.otherSessions.length) - Math.sign(other.otherSessions.length)
    return carried || one.uuids.length - other.uuids.length
  })
}
