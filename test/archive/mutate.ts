// Changes the session files of a home at random, as fast as it can, and writes down every content that each of them had.
// It plays Claude Code, its clean-up and everything else that works on a home while it is being archived.

import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Dice } from './fixture.ts'

/** Every line of every content is this long and has a number that no other one has. */
export const lineBytes = 64

export function lineOf(number: number): string {
  return `{"type":"user","n":${number}`.padEnd(lineBytes - 2, ' ').concat('}\n')
}

/** Line numbers from the first up to, not including, the second. */
export type Span = [number, number]

export function bytesOf(spans: readonly Span[]): Buffer {
  const lines: string[] = []
  for (const [from, to] of spans) for (let n = from; n < to; n++) lines.push(lineOf(n))
  return Buffer.from(lines.join(''))
}

const mostFiles = 8

class Mutator {
  private readonly dice: Dice
  private readonly folders: string[]
  private readonly files = new Map<string, Span[]>()
  private next = 0
  private made = 0

  constructor(home: string, seed: number) {
    this.dice = new Dice(seed)
    this.folders = ['-home-mira-boat', '-home-mira-choir'].map(slug => join(home, 'projects', slug))
    for (const folder of this.folders) mkdirSync(folder, { recursive: true })
  }

  step(): void {
    const path = this.anyFile()
    if (path === null || (this.files.size < mostFiles && this.dice.below(4) === 0)) {
      this.add()
      return
    }
    const acts = [
      this.append,
      this.append,
      this.append,
      this.truncate,
      this.rewrite,
      this.replace,
      this.move,
      this.remove,
    ]
    acts[this.dice.below(acts.length)]?.call(this, path)
  }

  /** Told before it is there, since it may be read at once. */
  private announce(spans: readonly Span[]): void {
    writeSync(1, `${JSON.stringify(spans)}\n`)
  }

  private fresh(): Span {
    // Some files are read in several pieces.
    const lines = this.dice.below(6) === 0 ? 20_000 + this.dice.below(20_000) : 1 + this.dice.below(2000)
    const from = this.next
    this.next += lines
    return [from, this.next]
  }

  private anyFile(): string | null {
    const paths = [...this.files.keys()]
    return paths[this.dice.below(Math.max(1, paths.length))] ?? null
  }

  private newPath(): string {
    const folder = this.folders[this.dice.below(this.folders.length)] ?? ''
    return join(folder, `${String(++this.made).padStart(8, '0')}-1111-4111-8111-111111111111.jsonl`)
  }

  private add(): void {
    const path = this.newPath()
    this.write(path, [this.fresh()])
  }

  private write(path: string, spans: Span[]): void {
    this.announce(spans)
    writeFileSync(path, bytesOf(spans))
    this.files.set(path, spans)
  }

  private append(path: string): void {
    const more = this.fresh()
    const spans: Span[] = [...(this.files.get(path) ?? []), more]
    this.announce(spans)
    appendFileSync(path, bytesOf([more]))
    this.files.set(path, spans)
  }

  private truncate(path: string): void {
    const spans = this.files.get(path) ?? []
    const kept: Span[] = spans.slice(0, 1 + this.dice.below(spans.length))
    const bytes = kept.reduce((sum, [from, to]) => sum + (to - from) * lineBytes, 0)
    this.announce(kept)
    truncateSync(path, bytes)
    this.files.set(path, kept)
  }

  /** In place: for a moment it is empty. */
  private rewrite(path: string): void {
    this.write(path, [this.fresh()])
  }

  private replace(path: string): void {
    const spans: Span[] = this.dice.below(2) === 0 ? [this.fresh()] : [...(this.files.get(path) ?? []), this.fresh()]
    this.announce(spans)
    writeFileSync(`${path}.new`, bytesOf(spans))
    renameSync(`${path}.new`, path)
    this.files.set(path, spans)
  }

  private move(path: string): void {
    const to = this.newPath()
    renameSync(path, to)
    this.files.set(to, this.files.get(path) ?? [])
    this.files.delete(path)
  }

  private remove(path: string): void {
    rmSync(path)
    this.files.delete(path)
  }
}

export function mutate(home: string, seed: number, ms: number): void {
  const mutator = new Mutator(home, seed)
  for (const end = Date.now() + ms; Date.now() < end; ) mutator.step()
}
