// Changes to a file as hunks: from the patch that the log has, else worked out from old and new text. What a diff looks
// like is the painter's.

import { structuredPatch } from 'diff'
import { asArray, asNumber, asObject } from '../base/json.ts'
import type { DiffHunk, DiffPart } from './view.ts'

/** How many changed lines are searched for the shortest patch before all old lines are simply replaced by all new ones. */
const longestSearch = 800
const contextLines = 3

/** `structuredPatch` of a result; undefined where it has no hunk. */
export function loggedDiff(path: string, patch: unknown): DiffPart | undefined {
  const hunks: DiffHunk[] = []
  for (const item of asArray(patch)) {
    const hunk = asObject(item)
    const lines = asArray(hunk?.['lines']).flatMap(signedLine)
    if (lines.length === 0) continue
    hunks.push({
      oldStart: asNumber(hunk?.['oldStart']) ?? 1,
      newStart: asNumber(hunk?.['newStart']) ?? 1,
      lines,
    })
  }
  return hunks.length === 0 ? undefined : diffPart(path, hunks)
}

type Line = DiffHunk['lines'][number]

/** `\ No newline at end of file` is not a line of the file. */
function signedLine(line: unknown): Line[] {
  if (typeof line !== 'string' || line.startsWith('\\')) return []
  const sign = line[0]
  return sign === '+' || sign === '-' ? [{ sign, text: line.slice(1) }] : [{ sign: ' ', text: line.slice(1) }]
}

/** A new file: every line is added. */
export function addedFile(path: string, content: string): DiffPart {
  const lines = linesOf(content).map((text): Line => ({ sign: '+', text }))
  return diffPart(path, lines.length === 0 ? [] : [{ oldStart: 0, newStart: 1, lines }])
}

/** The change from one text to another; several pairs (edits whose place is not known) give one hunk or more each. */
export function computedDiff(path: string, changes: readonly (readonly [before: string, after: string])[]): DiffPart {
  const hunks = changes.flatMap(([before, after]) => hunksBetween(before, after))
  return { ...diffPart(path, hunks), isComputed: true }
}

function hunksBetween(before: string, after: string): DiffHunk[] {
  if (before === after) return []
  const options = { context: contextLines, maxEditLength: longestSearch }
  const patch = structuredPatch('', '', ended(before), ended(after), '', '', options)
  if (patch === undefined) return [replaced(before, after)]
  return patch.hunks.map(hunk => ({
    oldStart: hunk.oldStart,
    newStart: hunk.newStart,
    lines: hunk.lines.flatMap(signedLine),
  }))
}

/** A missing line end at the end of a fragment is not a change of its last line. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Too different to compare line by line: what is equal at both ends stays, the rest is replaced. */
function replaced(before: string, after: string): DiffHunk {
  const old = linesOf(before)
  const fresh = linesOf(after)
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let end = 0
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end)) end++
  const from = Math.max(0, start - contextLines)
  const lines: Line[] = old.slice(from, start).map(text => ({ sign: ' ', text }))
  for (const text of old.slice(start, old.length - end)) lines.push({ sign: '-', text })
  for (const text of fresh.slice(start, fresh.length - end)) lines.push({ sign: '+', text })
  const below = Math.min(end, contextLines)
  for (const text of old.slice(old.length - end, old.length - end + below)) lines.push({ sign: ' ', text })
  return { oldStart: from + 1, newStart: from + 1, lines }
}

function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function diffPart(path: string, hunks: DiffHunk[]): DiffPart {
  let added = 0
  let removed = 0
  for (const { lines } of hunks) {
    for (const { sign } of lines) {
      if (sign === '+') added++
      else if (sign === '-') removed++
    }
  }
  return { type: 'diff', path, hunks, added, removed }
}
