// Leads the look for lines that may match, for the main thread: others begin while files are still being discovered, it
// joins them afterwards, and what was found is told as soon as it is known. How bytes are looked at is decided elsewhere.

import type { GenerationId } from '../model/source.ts'
import type { Range } from './candidates.ts'
import { rangesOf } from './piece.ts'
import {
  begunIn,
  type Looks,
  type Sieve,
  type Sifted,
  sieveNext,
  sieveOf,
  siftedAt,
  stopSieve,
  waitForSieve,
} from './sieve.ts'

/** So much is handed out at once while files are being discovered: little at first, so that others can begin. */
const handedBytes = { first: 16 * 1024 * 1024, most: 128 * 1024 * 1024 }
/** So long bytes are looked at before it is asked what the others found. */
const lookedMs = 5

/** What of a range is known, by its place in the list; whether others are still looking. */
export type Tell = (at: number, sifted: Sifted, isLooking: boolean) => Promise<void>

/** Other threads that look, too. */
export interface Others {
  areThere(): boolean
  sieve(sieve: Sieve): void
}

/** Where a range is being looked at. */
interface Taken {
  sieve: Sieve
  at: number
}

/** Ranges of a sieve of which nothing was told yet: their places in the list, and in the sieve. */
interface Open {
  sieve: Sieve
  places: { place: number; at: number }[]
}

/** What became known of them since it was asked last. Only what somebody began with is looked at. */
function knownOf(open: Open, isLooking: boolean): [place: number, sifted: Sifted][] {
  const { sieve, places } = open
  const begun = begunIn(sieve)
  const known: [place: number, sifted: Sifted][] = []
  const waiting: Open['places'] = []
  let next = 0
  for (; next < places.length; next++) {
    const one = places[next] as Open['places'][number]
    if (one.at >= begun) break
    const sifted = siftedAt(sieve, one.at)
    // Who failed leaves it to be searched.
    if (sifted !== undefined || !isLooking) known.push([one.place, sifted ?? null])
    else waiting.push(one)
  }
  if (known.length > 0) open.places = [...waiting, ...places.slice(next)]
  return known
}

export class Sifting {
  private readonly sieves: Sieve[] = []
  private readonly taken = new Map<GenerationId, Taken[]>()
  private waiting: Range[] = []
  private bytes = 0
  private enough = handedBytes.first
  private readonly others: Others

  constructor(others: Others) {
    this.others = others
  }

  /** A log was discovered; whether it is one of a session turns out later. */
  meet(log: { generation: GenerationId; size: number }): void {
    if (this.taken.has(log.generation)) return
    this.taken.set(log.generation, [])
    for (const range of rangesOf(log)) this.waiting.push(range)
    this.bytes += log.size
    if (this.bytes < this.enough || !this.others.areThere()) return
    this.handOut()
    this.enough = Math.min(handedBytes.most, 2 * this.enough)
  }

  /** It turned out that nobody needs it. */
  stop(): void {
    for (const sieve of this.sieves) stopSieve(sieve)
  }

  /** Looks at all ranges that nobody else takes, and tells of all, in any order. */
  async sift(ranges: readonly Range[], looks: Looks, tell: Tell): Promise<void> {
    this.waiting = ranges.filter(range => this.takenOf(range) === undefined)
    this.handOut()
    const open = this.openOf(ranges)
    const tellKnown = async (isLooking: boolean) => {
      for (const one of open) {
        for (const [place, sifted] of knownOf(one, isLooking)) await tell(place, sifted, isLooking)
      }
    }
    let asked = performance.now()
    for (const sieve of this.sieves) {
      do {
        if (performance.now() - asked < lookedMs) continue
        await tellKnown(true)
        asked = performance.now()
      } while (sieveNext(sieve, looks))
    }
    for (const sieve of this.sieves) waitForSieve(sieve)
    await tellKnown(false)
  }

  /** By sieve, in the order in which its ranges are taken. */
  private openOf(ranges: readonly Range[]): Open[] {
    const bySieve = new Map(this.sieves.map(sieve => [sieve, { sieve, places: [] } as Open]))
    for (const [place, range] of ranges.entries()) {
      const taken = this.takenOf(range)
      if (taken !== undefined) bySieve.get(taken.sieve)?.places.push({ place, at: taken.at })
    }
    const all = [...bySieve.values()]
    for (const { places } of all) places.sort((one, other) => one.at - other.at)
    return all
  }

  private handOut(): void {
    const sieve = sieveOf(this.waiting)
    this.others.sieve(sieve)
    this.sieves.push(sieve)
    for (const [at, range] of sieve.ranges.entries()) {
      const others = this.taken.get(range.generation)
      if (others === undefined) this.taken.set(range.generation, [{ sieve, at }])
      else others.push({ sieve, at })
    }
    this.waiting = []
    this.bytes = 0
  }

  /** The same lines of the same file; undefined where nobody was asked to look at them. */
  private takenOf({ generation, from, to }: Range): Taken | undefined {
    return this.taken.get(generation)?.find(({ sieve, at }) => {
      const range = sieve.ranges[at]
      return range?.from === from && range.to === to
    })
  }
}
