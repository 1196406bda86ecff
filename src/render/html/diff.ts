// A diff as HTML: numbered lines, coloured and signed, with what changed inside a line marked. Numbers are drawn by the
// style sheet, so that copied text is a patch.

import type { DiffHunk, DiffPart } from '../../view/view.ts'
import type { Piece } from '../pieces.ts'
import { hiddenText, type Limits } from '../words.ts'
import { escapeHtml, escapeHtmlLine } from './escape.ts'

type DiffLine = DiffHunk['lines'][number]

export function* diffPieces(part: DiffPart, limits: Limits | null): Generator<Piece> {
  const most = limits === null ? Number.POSITIVE_INFINITY : limits.head + limits.tail
  let left = most
  yield `<div class="diff" role="group" aria-label="Changes in ${escapeHtmlLine(part.path)}" tabindex="0"><div class="lines">`
  for (const hunk of part.hunks) {
    if (left <= 0) break
    yield hunkHtml(hunk, left)
    left -= hunk.lines.length
  }
  yield '</div></div>\n'
  if (left < 0) yield `<p class="cut">${hiddenText(-left, hiddenBytes(part.hunks, most))}</p>\n`
  if (part.isComputed === true) yield '<p class="cut">Worked out from the old and the new text.</p>\n'
}

function hiddenBytes(hunks: readonly DiffHunk[], shown: number): number {
  let seen = 0
  let bytes = 0
  for (const hunk of hunks) {
    for (const line of hunk.lines) if (++seen > shown) bytes += line.text.length + 1
  }
  return bytes
}

function hunkHtml(hunk: DiffHunk, most: number): string {
  let oldLine = hunk.oldStart
  let newLine = hunk.newStart
  const shown = hunk.lines.slice(0, most)
  const changes = changesIn(shown)
  const lines = shown.map((line, at) => {
    const number = line.sign === '-' ? oldLine : newLine
    if (line.sign !== '+') oldLine++
    if (line.sign !== '-') newLine++
    const name = line.sign === '+' ? 'l add' : line.sign === '-' ? 'l del' : 'l'
    return `<div class="${name}" data-n="${Math.floor(number) || 0}">${line.sign}${textHtml(line.text, changes.get(at))}</div>`
  })
  return `<div class="hunk">${lines.join('\n')}</div>`
}

/** The part of a line that differs from its counterpart. */
interface Change {
  from: number
  /** Characters after the change. */
  rest: number
}

function textHtml(text: string, change: Change | undefined): string {
  const line = text.replace(/\r?\n/g, ' ')
  if (change === undefined) return escapeHtml(line)
  const { from, rest } = change
  const inner = line.slice(from, line.length - rest)
  if (inner === '') return escapeHtml(line)
  return `${escapeHtml(line.slice(0, from))}<mark>${escapeHtml(inner)}</mark>${escapeHtml(line.slice(line.length - rest))}`
}

/** Removed lines and the same number of added ones right after them are taken as changed line by line. */
function changesIn(lines: readonly DiffLine[]): Map<number, Change> {
  const changes = new Map<number, Change>()
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, '-')
    const added = runLength(lines, at + removed, '+')
    if (removed === added) {
      for (let i = 0; i < removed; i++) markChange(lines, at + i, at + removed + i, changes)
    }
    at += Math.max(1, removed + added)
  }
  return changes
}

function runLength(lines: readonly DiffLine[], from: number, sign: DiffLine['sign']): number {
  let to = from
  while (lines[to]?.sign === sign) to++
  return to - from
}

const longestLine = 1000

/** Marks both lines where they share enough that the difference says something. */
function markChange(lines: readonly DiffLine[], oldAt: number, newAt: number, changes: Map<number, Change>): void {
  const before = lines[oldAt]?.text ?? ''
  const after = lines[newAt]?.text ?? ''
  const shorter = Math.min(before.length, after.length)
  if (shorter === 0 || Math.max(before.length, after.length) > longestLine) return
  let from = 0
  while (from < shorter && before[from] === after[from]) from++
  let rest = 0
  while (rest < shorter - from && before[before.length - 1 - rest] === after[after.length - 1 - rest]) rest++
  // Never between the halves of a character.
  if (isLowHalf(before, from) || isLowHalf(after, from)) from--
  if (isLowHalf(before, before.length - rest) || isLowHalf(after, after.length - rest)) rest--
  const shared = before.slice(0, from).trim().length + rest
  if (shared * 3 < shorter) return
  changes.set(oldAt, { from, rest })
  changes.set(newAt, { from, rest })
}

function isLowHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
