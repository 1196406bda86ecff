// Hits in the order and groups that they are shown in, and a snippet cut into marked and plain pieces. It paints nothing.

import type { SearchHitRow } from '../../src/server/api/api.ts'

export interface HitGroup {
  session: string
  title: string
  project: string
  isArchived: boolean
  hits: SearchHitRow[]
}

/** Sessions in the order of their first hit. */
export function groupHits(hits: readonly SearchHitRow[]): HitGroup[] {
  const groups = new Map<string, HitGroup>()
  for (const hit of hits) {
    const { session, title, project } = hit
    const group = groups.get(session) ?? { session, title, project, isArchived: hit.isArchived === true, hits: [] }
    group.hits.push(hit)
    groups.set(session, group)
  }
  return [...groups.values()]
}

export interface Piece {
  from: number
  text: string
  isMarked: boolean
}

/** The pieces of a text; marks that overlap, are empty or lie outside do no harm. */
export function cutAtMarks(text: string, marks: readonly (readonly [from: number, to: number])[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > at) pieces.push({ from: at, text: text.slice(at, to), isMarked })
    at = Math.max(at, to)
  }
  for (const [from, to] of [...marks].sort((one, other) => one[0] - other[0])) {
    add(Math.min(text.length, from), false)
    add(Math.min(text.length, to), true)
  }
  add(text.length, false)
  return pieces
}

/** What a reader calls an event's kind. */
export function kindLabel(kind: string): string {
  const names: Record<string, string> = {
    'tool-results': 'output',
    'compact-summary': 'summary',
    'api-error': 'API error',
    'command-output': 'command output',
  }
  return Object.hasOwn(names, kind) ? (names[kind] ?? kind) : kind
}
