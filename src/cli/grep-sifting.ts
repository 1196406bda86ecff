// Leads the look for lines that may match, for the main thread: others begin while files are still being discovered, it
// joins them afterwards, and what was found is told as soon as it is known. How bytes are looked at is decided elsewhere.

import type { GenerationId } from '../model/source.ts'
import type { Range } from './grep-candidates.ts'
import { rangesOf } from './grep-piece.ts'
import { type Looks, type Sieve, type Sifted, sieveNext, sieveOf, siftedAt, stopSieve, waitForSieve } from './grep-sieve.ts'

/** So much is handed out at once while files are being discovered. */
const handedBytes = 16 * 1024 * 1024
/** So long bytes are looked at before it is asked what the others found: to ask is to look at all that is open. */
const lookedMs = 10
const openForThat = 1000

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

export class Sifting {
  private readonly sieves: Sieve[] = []
  private readonly taken = new Map<GenerationId, Taken[]>()
  private waiting: Range[] = []
  private bytes = 0
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
    if (this.bytes >= handedBytes && this.others.areThere()) this.handOut()
  }

  /** It turned out that nobody needs it. */
  stop(): void {
    for (const sieve of this.sieves) stopSieve(sieve)
  }

  /** Looks at all ranges that nobody else takes, and tells of all, in any order. */
  async sift(ranges: readonly Range[], looks: Looks, tell: Tell): Promise<void> {
    this.waiting = ranges.filter(range => this.takenOf(range) === undefined)
    this.handOut()
    let open = ranges.map((range, place) => ({ place, ...(this.takenOf(range) as Taken) }))
    const tellKnown = async (isLooking: boolean) => {
      const known: [place: number, sifted: Sifted][] = []
      open = open.filter(({ place, sieve, at }) => {
        const sifted = siftedAt(sieve, at)
        // Who failed leaves it to be searched.
        if (sifted !== undefined || !isLooking) known.push([place, sifted ?? null])
        return sifted === undefined
      })
      for (const [place, sifted] of known) await tell(place, sifted, isLooking)
    }
    let asked = 0
    for (const sieve of this.sieves) {
      do {
        if (performance.now() - asked < lookedMs * Math.min(1, open.length / openForThat)) continue
        await tellKnown(true)
        asked = performance.now()
      } while (sieveNext(sieve, looks))
    }
    for (const sieve of this.sieves) waitForSieve(sieve)
    await tellKnown(false)
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
