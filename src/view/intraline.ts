// What changed inside a line: words of a removed line and of the added line in its place are compared. Lines that share too
// little are not marked.

import type { DiffHunk } from './view.ts'

export type DiffLine = DiffHunk['lines'][number]

/** A piece of a line; changed ones are marked. */
export interface Piece {
  text: string
  isChanged: boolean
}

const mostWords = 240
const word = /[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu

/** Pieces of changed lines by their place among `lines`. */
export function changesIn(lines: readonly DiffLine[]): Map<number, Piece[]> {
  const found = new Map<number, Piece[]>()
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, '-')
    const added = runLength(lines, at + removed, '+')
    for (const [oldAt, newAt] of pairsIn(lines, at, removed, added)) compare(lines, oldAt, newAt, found)
    at += Math.max(1, removed + added)
  }
  return found
}

export function runLength(lines: readonly DiffLine[], from: number, sign: DiffLine['sign']): number {
  let to = from
  while (lines[to]?.sign === sign) to++
  return to - from
}

/** More lines than these are paired by their places. */
const mostPaired = 24

/** Which added line took the place of which removed one: the most alike behind the last pair. */
function pairsIn(lines: readonly DiffLine[], at: number, removed: number, added: number): [number, number][] {
  const inOrder = removed === added || removed > mostPaired || added > mostPaired
  const pairs: [number, number][] = []
  if (inOrder) {
    for (let i = 0; i < Math.min(removed, added); i++) pairs.push([at + i, at + removed + i])
    return pairs
  }
  let from = at + removed
  const end = at + removed + added
  for (let old = at; old < at + removed; old++) {
    const words = new Set(lines[old]?.text.match(word) ?? [])
    let best = -1
    let bestShare = 0.5
    for (let fresh = from; fresh < end; fresh++) {
      const share = shareOf(words, lines[fresh]?.text ?? '')
      if (share > bestShare) [best, bestShare] = [fresh, share]
    }
    if (best === -1) continue
    pairs.push([old, best])
    from = best + 1
  }
  return pairs
}

/** How many of the words of a line are in another, 0 to 1. */
function shareOf(words: ReadonlySet<string>, text: string): number {
  const others = new Set((text.match(word) ?? []).filter(one => one.trim() !== ''))
  let shared = 0
  for (const one of others) if (words.has(one)) shared++
  return shared / Math.max(1, Math.max(others.size, [...words].filter(one => one.trim() !== '').length))
}

function compare(lines: readonly DiffLine[], oldAt: number, newAt: number, found: Map<number, Piece[]>): void {
  const before = lines[oldAt]?.text.match(word) ?? []
  const after = lines[newAt]?.text.match(word) ?? []
  if (before.length === 0 || after.length === 0 || before.length > mostWords || after.length > mostWords) return
  const [oldSame, newSame] = common(before, after)
  const shared = sharedLength(before, oldSame)
  const shorter = Math.min(before.join('').trim().length, after.join('').trim().length)
  if (shared * 3 < shorter) return
  found.set(oldAt, pieces(before, oldSame))
  found.set(newAt, pieces(after, newSame))
}

function sharedLength(words: readonly string[], same: readonly boolean[]): number {
  let length = 0
  words.forEach((text, at) => {
    if (same[at] && text.trim() !== '') length += text.length
  })
  return length
}

/** Which words of both are in their longest common sequence. */
function common(before: readonly string[], after: readonly string[]): [boolean[], boolean[]] {
  const width = after.length + 1
  const table = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const skip = Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
      const take = before[i] === after[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : 0
      table[i * width + j] = Math.max(skip, take)
    }
  }
  const oldSame = before.map(() => false)
  const newSame = after.map(() => false)
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      oldSame[i++] = true
      newSame[j++] = true
    } else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return [oldSame, newSame]
}

function pieces(words: readonly string[], same: readonly boolean[]): Piece[] {
  const found: Piece[] = []
  words.forEach((text, at) => {
    // A blank between two changed words belongs to the change.
    const isChanged = !same[at] || (text.trim() === '' && same[at - 1] === false && same[at + 1] === false)
    const last = found.at(-1)
    if (last && last.isChanged === isChanged) last.text += text
    else found.push({ text, isChanged })
  })
  return found
}
