// Sessions put together by the directory they worked in.

import type { Instant } from '../../base/instant.ts'
import type { Sortable } from './filters.ts'
import { isOnDisk, type ListRow, tokensOf, whenOf } from './list-row.ts'

/** `clew ls projects --json` prints these. */
export interface ProjectRow {
  /** As the records name it; null where none does. */
  cwd: string | null
  /** Name of its folder, the first one where there are several. */
  slug: string
  sessions: number
  /** How many of them are only in the archive. */
  gone: number
  bytes: number
  lastUsed: Instant
  /** Present where files were read whole. */
  models?: string[]
  prompts?: number
  tokens?: number
}

export function projectRows(rows: readonly ListRow[]): ProjectRow[] {
  const groups = new Map<string, ListRow[]>()
  for (const row of rows) {
    const key = row.cwd === null ? `slug ${row.session.slug}` : `cwd ${row.cwd}`
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()].map(projectOf)
}

function projectOf(rows: readonly ListRow[]): ProjectRow {
  const last = rows.reduce((latest, row) => Math.max(latest, whenOf(row)), 0)
  const sum = (of: (row: ListRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  const project: ProjectRow = {
    cwd: rows[0]?.cwd ?? null,
    slug: rows[0]?.session.slug ?? '',
    sessions: rows.length,
    gone: rows.filter(row => !isOnDisk(row.session)).length,
    bytes: sum(row => row.bytes),
    lastUsed: last === 0 ? null : new Date(last).toISOString(),
  }
  if (rows.every(row => row.facts !== undefined)) {
    project.models = [...new Set(rows.flatMap(row => row.facts?.models ?? []))]
    project.prompts = sum(row => row.facts?.prompts ?? 0)
    project.tokens = sum(tokensOf)
  }
  return project
}

export function projectKeys(row: ProjectRow): Sortable {
  return {
    when: row.lastUsed === null ? 0 : Date.parse(row.lastUsed),
    size: row.bytes,
    title: row.cwd ?? row.slug,
    tokens: row.tokens ?? 0,
    prompts: row.prompts ?? 0,
    duration: 0,
  }
}
