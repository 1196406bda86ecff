// Which of several sessions that have the same records had them first. It decides by evidence: what the records state, their
// times, what one log has between them and the other lacks, and only then by what each went on with. Ids of sessions decide
// nothing but the order of two that nothing distinguishes.

import type { Instant } from '../../base/instant.ts'
import { recordedId } from '../../model/ids.ts'
import type { SessionDigest } from '../../model/session.ts'

/** How two sessions are ordered, below 0 where the first was there first. */
interface Descent {
  order: number
  /** The logs show it; else it is the likelier of two ways. */
  isShown: boolean
}

/** Sessions with equal records are compared with each other, originals first; others keep the order of their times. */
export function originalsFirst(digests: readonly SessionDigest[]): SessionDigest[] {
  const families = new Map<string, SessionDigest[]>()
  const keys = new SharedKeys(digests)
  for (const digest of [...digests].sort(compareAlone)) {
    const family = keys.familyOf(digest)
    const known = families.get(family)
    if (known) known.push(digest)
    else families.set(family, [digest])
  }
  return [...families.values()].flatMap(family => family.sort((one, other) => descent(one, other).order))
}

/** Whether the logs show which of the two was there first. */
export function isDescentShown(one: SessionDigest, other: SessionDigest): boolean {
  return descent(one, other).isShown
}

/** Ids of the API are long and random; those of hand-made logs are unique within their session only. */
const leastGlobal = 16

/** By what a record is the same in two sessions: uuid and content, and the API's id of an answer, which new uuids do not change. */
export function keysOf({ uuids, contents, messages }: SessionDigest, at: number): string[] {
  const keys = [`${uuids[at]} ${contents[at]}`]
  const message = messages[at]
  return message === null || message === undefined || message.length < leastGlobal
    ? keys
    : [...keys, `message ${message}`]
}

const keyPlaces = new WeakMap<SessionDigest, ReadonlyMap<string, number>>()

/** The first record with each key. */
function placesOf(digest: SessionDigest): ReadonlyMap<string, number> {
  const known = keyPlaces.get(digest)
  if (known !== undefined) return known
  const places = new Map<string, number>()
  for (let at = 0; at < digest.uuids.length; at++) {
    for (const key of keysOf(digest, at)) if (!places.has(key)) places.set(key, at)
  }
  keyPlaces.set(digest, places)
  return places
}

/** Which sessions have records in common, directly or through others. */
class SharedKeys {
  private readonly heads = new Map<SessionDigest, SessionDigest>()

  constructor(digests: readonly SessionDigest[]) {
    const first = new Map<string, SessionDigest>()
    for (const digest of digests) {
      for (const key of placesOf(digest).keys()) {
        const known = first.get(key)
        if (known === undefined) first.set(key, digest)
        else this.join(known, digest)
      }
    }
  }

  familyOf(digest: SessionDigest): string {
    return this.headOf(digest).session
  }

  private join(one: SessionDigest, other: SessionDigest): void {
    const [head, second] = [this.headOf(one), this.headOf(other)]
    if (head !== second) this.heads.set(second, head)
  }

  private headOf(digest: SessionDigest): SessionDigest {
    let head = digest
    for (let next = this.heads.get(head); next !== undefined; next = this.heads.get(head)) head = next
    if (head !== digest) this.heads.set(digest, head)
    return head
  }
}

/** Records that two sessions have in common, by their numbers in each. */
type Pairs = [one: number, other: number][]

function pairsOf(one: SessionDigest, other: SessionDigest): Pairs {
  const pairs: Pairs = []
  const there = placesOf(other)
  const seen = new Set<number>()
  for (const [key, at] of placesOf(one)) {
    const place = there.get(key)
    if (place === undefined || seen.has(at)) continue
    seen.add(at)
    pairs.push([at, place])
  }
  return pairs.sort((first, second) => first[0] - second[0])
}

function descent(one: SessionDigest, other: SessionDigest): Descent {
  const pairs = pairsOf(one, other)
  if (pairs.length === 0) return { order: compareAlone(one, other), isShown: false }
  const shown = byStatement(one, other, pairs) || byTime(one, other, pairs) || byExtent(one, other, pairs)
  if (shown !== 0) return { order: shown, isShown: true }
  return { order: byOwnPart(one, other, pairs) || compareAlone(one, other), isShown: false }
}

/** A record that names another session is a copy; of two that do, the one that names the other session here. */
function byStatement(one: SessionDigest, other: SessionDigest, pairs: Pairs): number {
  const named = (digest: SessionDigest, at: number) => digest.forks[at] ?? digest.carries[at] ?? null
  const ofOne = new Set(pairs.flatMap(([at]) => named(one, at) ?? []))
  const ofOther = new Set(pairs.flatMap(([, at]) => named(other, at) ?? []))
  if (ofOne.size === 0 || ofOther.size === 0) return Math.sign(ofOne.size) - Math.sign(ofOther.size)
  return Number(ofOne.has(recordedId(other.session))) - Number(ofOther.has(recordedId(one.session)))
}

/** Some versions give copied records the time of the copy. */
function byTime(one: SessionDigest, other: SessionDigest, pairs: Pairs): number {
  for (const [at, place] of pairs) {
    const [first, second] = [one.times[at] ?? null, other.times[place] ?? null]
    if (first !== null && second !== null && first !== second) return first < second ? -1 : 1
  }
  return 0
}

/** A copy has the records of the conversation; between them the original has more, such as lines of state. */
function byExtent(one: SessionDigest, other: SessionDigest, pairs: Pairs): number {
  const [ofOne, ofOther] = numbersOf(pairs)
  return Math.sign(extentOf(other, ofOther) - extentOf(one, ofOne))
}

/** From the first to the last of these records, in events of the log. */
function extentOf({ places }: SessionDigest, numbers: readonly number[]): number {
  const first = numbers.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  return (places[lastOf(numbers)] ?? 0) - (places[first] ?? 0)
}

function lastOf(numbers: readonly number[]): number {
  return numbers.reduce((most, at) => Math.max(most, at), -1)
}

function numbersOf(pairs: Pairs): [one: number[], other: number[]] {
  return [pairs.map(([at]) => at), pairs.map(([, at]) => at)]
}

/** The one that ends where they part was there before the other went on; of two that went on, the one that did first. */
function byOwnPart(one: SessionDigest, other: SessionDigest, pairs: Pairs): number {
  const [ofOne, ofOther] = numbersOf(pairs)
  const [first, second] = [ownStart(one, ofOne), ownStart(other, ofOther)]
  if (first === undefined || second === undefined) return Number(second === undefined) - Number(first === undefined)
  return compareInstants(first, second)
}

/** The time of the first record after what both have; undefined where there is none. */
function ownStart({ uuids, times }: SessionDigest, numbers: readonly number[]): Instant | undefined {
  const own = lastOf(numbers) + 1
  return own < uuids.length ? (times[own] ?? null) : undefined
}

/** Without looking at what both have. The last change of the file is no more than a hint: tools that copy homes change it. */
function compareAlone(one: SessionDigest, other: SessionDigest): number {
  return (
    compareInstants(one.startedAt, other.startedAt) ||
    compareInstants(one.endedAt, other.endedAt) ||
    one.uuids.length - other.uuids.length ||
    (one.changedMs ?? 0) - (other.changedMs ?? 0) ||
    (one.session < other.session ? -1 : Number(one.session > other.session))
  )
}

/** Those without a time come last. */
function compareInstants(one: Instant, other: Instant): number {
  if (one === other) return 0
  if (one === null) return 1
  return other === null || one < other ? -1 : 1
}
