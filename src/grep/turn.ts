// Puts what several threads find into the order of what they search: what is found early waits, and who is too far ahead
// waits too, so that memory stays small whatever is found. It searches nothing itself.

import type { GrepBatch } from './scan.ts'

/** So many pieces may be searched before their turn. */
const mostAhead = 256
/** So many batches of a piece may wait for their turn. */
const mostWaiting = 4

/** Whose turn it is, with a box for each piece that is near it. */
export class Turn {
  isOver = false
  private reached = 0
  private passed = 0
  private readonly boxes = new Map<number, Box>()
  private readonly count: number
  private wake: (() => void)[] = []
  private failure: { error: unknown } | undefined

  constructor(count: number) {
    this.count = count
  }

  box(at: number): Box {
    const box = this.boxes.get(at) ?? new Box()
    if (at < this.passed) box.open()
    else this.boxes.set(at, box)
    if (this.failure) box.fail(this.failure.error)
    return box
  }

  /** Nobody asks for pieces before this one any more. */
  pass(to: number): void {
    for (let at = this.passed; at < to; at++) {
      this.boxes.get(at)?.open()
      this.boxes.delete(at)
    }
    this.passed = to
  }

  reach(at: number): void {
    this.reached = Math.min(at, this.count)
    this.wakeAll()
  }

  async near(at: number): Promise<void> {
    while (!this.isOver && at > this.reached + mostAhead) await new Promise<void>(done => this.wake.push(done))
  }

  stop(): void {
    this.isOver = true
    this.wakeAll()
    for (const box of this.boxes.values()) box.open()
  }

  /** Whoever waits for a box learns of it. */
  fail(error: unknown): void {
    if (this.isOver) return
    this.failure = { error }
    for (const box of this.boxes.values()) box.fail(error)
  }

  private wakeAll(): void {
    for (const done of this.wake.splice(0)) done()
  }
}

/** Batches of one piece between who finds and who prints them. */
class Box {
  private readonly batches: GrepBatch[] = []
  private isEnded = false
  private isOpen = false
  private failure: { error: unknown } | undefined
  private changed: (() => void)[] = []

  /** Waits while too much is in it; false where nobody takes from it any more. */
  async put(batch: GrepBatch): Promise<boolean> {
    if (!this.isOpen) this.batches.push(batch)
    this.wake()
    while (!this.isOpen && this.batches.length >= mostWaiting) await this.change()
    return !this.isOpen
  }

  end(): void {
    this.isEnded = true
    this.wake()
  }

  fail(error: unknown): void {
    this.failure = { error }
    this.wake()
  }

  /** Nobody takes from it any more. */
  open(): void {
    this.isOpen = true
    this.wake()
  }

  async *take(): AsyncGenerator<GrepBatch> {
    for (;;) {
      const batch = this.batches.shift()
      if (batch !== undefined) {
        this.wake()
        yield batch
      } else if (this.failure !== undefined) {
        throw this.failure.error
      } else if (this.isEnded) {
        return
      } else {
        await this.change()
      }
    }
  }

  private change(): Promise<void> {
    return new Promise(done => this.changed.push(done))
  }

  private wake(): void {
    for (const done of this.changed.splice(0)) done()
  }
}
