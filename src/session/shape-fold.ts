// Makes a session's shape short enough to read: what is inside is folded first, then runs of turns. It says what it left out.

import type { ShapeRow } from './shape.ts'

/** How many rows of each sort were left out. */
export interface Folded {
  /** Subagents whose inside is not drawn. */
  subagents: number
  /** Turns whose calls are only counted. */
  calls: number
  turns: number
  /** All rows that are not there. */
  rows: number
}

export interface FoldedShape {
  rows: ShapeRow[]
  folded: Folded
}

/** The same rows where they fit, else fewer, at most `most`: borders, branches and the ends of long runs stay longest. */
export function foldShape(rows: readonly ShapeRow[], most: number): FoldedShape {
  const folded: Folded = { subagents: 0, calls: 0, turns: 0, rows: 0 }
  let kept: ShapeRow[] = [...rows]
  if (kept.length > most) kept = foldSubagents(kept, folded)
  if (kept.length > most) kept = foldCalls(kept, folded)
  if (kept.length > most) kept = foldRuns(kept, folded, most)
  if (kept.length > most) kept = foldMiddle(kept, folded, most)
  const real = kept.filter(row => row.kind !== 'folded').length
  folded.rows = rows.length - real
  return { rows: kept, folded }
}

/** Everything below a subagent. */
function foldSubagents(rows: readonly ShapeRow[], folded: Folded): ShapeRow[] {
  const kept: ShapeRow[] = []
  let inside: number | undefined
  let isCounted = false
  for (const row of rows) {
    if (inside !== undefined && row.depth > inside) {
      if (!isCounted) folded.subagents++
      isCounted = true
      continue
    }
    inside = row.kind === 'subagent' ? row.depth : undefined
    isCounted = false
    kept.push(row)
  }
  return kept
}

/** Calls, subagents and notes inside turns: the turn's own row has their numbers. */
function foldCalls(rows: readonly ShapeRow[], folded: Folded): ShapeRow[] {
  const kept: ShapeRow[] = []
  let turn: ShapeRow | undefined
  let counted: ShapeRow | undefined
  for (const row of rows) {
    const isInside = row.kind === 'calls' || row.kind === 'subagent' || row.kind === 'note'
    if (isInside && turn !== undefined && row.depth > turn.depth) {
      if (counted !== turn) folded.calls++
      counted = turn
      continue
    }
    if (row.kind === 'turn' || row.kind === 'start') turn = row
    kept.push(row)
  }
  return kept
}

/** Turns that follow each other: of every run the first and last few stay, as many as there is room for. */
function foldRuns(rows: readonly ShapeRow[], folded: Folded, most: number): ShapeRow[] {
  const runs = runsOf(rows)
  const fixed = rows.length - runs.reduce((sum, run) => sum + run.length, 0)
  const room = Math.max(0, most - fixed)
  // A run that is folded still takes at least its first, its last and the row that says so.
  let each = Math.max(3, Math.floor(room / Math.max(1, runs.length)))
  const short = runs.filter(run => run.length <= each)
  const rest = room - short.reduce((sum, run) => sum + run.length, 0)
  if (short.length < runs.length) each = Math.max(3, Math.floor(rest / (runs.length - short.length)))
  const kept: ShapeRow[] = []
  let at = 0
  for (const run of runs) {
    for (; at < run.start; at++) kept.push(rows[at] as ShapeRow)
    for (const row of foldRun(rows.slice(run.start, run.start + run.length), each, folded)) kept.push(row)
    at = run.start + run.length
  }
  for (; at < rows.length; at++) kept.push(rows[at] as ShapeRow)
  return kept
}

interface Run {
  start: number
  length: number
}

/** Neighbouring turns of one depth. */
function runsOf(rows: readonly ShapeRow[]): Run[] {
  const runs: Run[] = []
  let open: Run | undefined
  rows.forEach((row, place) => {
    const before = rows[place - 1]
    if (row.kind !== 'turn' || row.isActive !== undefined) open = undefined
    else if (open !== undefined && before?.depth === row.depth) open.length++
    else {
      open = { start: place, length: 1 }
      runs.push(open)
    }
  })
  return runs
}

function foldRun(run: readonly ShapeRow[], most: number, folded: Folded): ShapeRow[] {
  if (run.length <= most) return [...run]
  const head = Math.ceil((most - 1) / 2)
  const tail = most - 1 - head
  const hidden = run.slice(head, run.length - tail)
  folded.turns += hidden.length
  return [...run.slice(0, head), foldedRow(hidden), ...run.slice(run.length - tail)]
}

/** The last resort: head and tail of everything. */
function foldMiddle(rows: readonly ShapeRow[], folded: Folded, most: number): ShapeRow[] {
  const head = Math.ceil((most - 1) / 2)
  const tail = Math.max(0, most - 1 - head)
  const hidden = rows.slice(head, rows.length - tail)
  for (const row of hidden) if (row.kind === 'turn') folded.turns++
  return [...rows.slice(0, head), { ...foldedRow(hidden), depth: 0 }, ...rows.slice(rows.length - tail)]
}

function foldedRow(hidden: readonly ShapeRow[]): ShapeRow {
  const row: ShapeRow = { depth: hidden[0]?.depth ?? 0, kind: 'folded', text: '', calls: 0, failed: 0, subagents: 0 }
  const kinds = new Map<string, number>()
  for (const { kind, calls = 0, failed = 0, subagents = 0 } of hidden) {
    if (kind !== 'folded') kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if (kind === 'calls' || kind === 'subagent') continue
    row.calls = (row.calls ?? 0) + calls
    row.failed = (row.failed ?? 0) + failed
    row.subagents = (row.subagents ?? 0) + subagents
  }
  row.text = [...kinds].map(([kind, times]) => `${times} ${plural(kind, times)}`).join(', ')
  return row
}

function plural(kind: string, times: number): string {
  if (times === 1 || kind === 'calls') return kind
  return kind === 'branch' ? 'branches' : `${kind}s`
}
