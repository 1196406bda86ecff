// Which session an id belongs to first, and from which other session a session took the ids that they share.

import type { SessionId } from '../model/ids.ts'
import type { SessionDigest } from '../model/session.ts'

/** Two sessions that share ids: which of them had them first. */
export interface SharedPair {
  original: SessionId
  later: SessionId
  /** A copy has nothing of its own. */
  relation: 'forked-from' | 'copied-from'
}

export class SharedIds {
  private readonly owners = new Map<string, SessionDigest>()
  private readonly idsOf: (digest: SessionDigest) => readonly string[]

  constructor(digests: readonly SessionDigest[], idsOf: (digest: SessionDigest) => readonly string[]) {
    this.idsOf = idsOf
    for (const digest of inOrder(digests)) {
      for (const id of idsOf(digest)) if (!this.owners.has(id)) this.owners.set(id, digest)
    }
  }

  ownerOf(id: string): SessionId | undefined {
    return this.owners.get(id)?.session
  }

  /** The session whose id stands last among those that `digest` did not have first: what it was taken from directly. */
  nearest(digest: SessionDigest): SharedPair | undefined {
    const ids = this.idsOf(digest)
    let owner: SessionDigest | undefined
    let shared = 0
    let hasOwnAfter = false
    for (const id of ids) {
      const first = this.owners.get(id)
      if (first === undefined || first.session === digest.session) hasOwnAfter = true
      else {
        owner = first
        shared++
        hasOwnAfter = false
      }
    }
    if (owner === undefined) return undefined
    if (this.isReversed(digest, owner, hasOwnAfter)) {
      return { original: digest.session, later: owner.session, relation: 'forked-from' }
    }
    const relation = shared === ids.length ? 'copied-from' : 'forked-from'
    return { original: owner.session, later: digest.session, relation }
  }

  /** Copies keep their times in most versions: of two that begin alike, the one that ends where they part is the original. */
  private isReversed(digest: SessionDigest, owner: SessionDigest, hasOwnAfter: boolean): boolean {
    if (owner.startedAt !== digest.startedAt) return false
    if (owner.otherSessions.includes(digest.session)) return true
    if (digest.otherSessions.includes(owner.session)) return false
    return !hasOwnAfter && this.idsOf(owner).length > this.idsOf(digest).length
  }
}

/** Earlier sessions first; equal and missing times keep the order given. */
function inOrder(digests: readonly SessionDigest[]): SessionDigest[] {
  return [...digests].sort((one, other) => {
    if (one.startedAt === other.startedAt) return 0
    if (one.startedAt === null) return 1
    if (other.startedAt === null) return -1
    return one.startedAt < other.startedAt ? -1 : 1
  })
}
