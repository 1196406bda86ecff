// The order of a list: by one of its columns, families of forks together, projects together. Which sessions are in it is
// decided in list.ts.

import { type Instant, toMillis } from '../../base/instant.ts'
import type { IndexedSession } from '../../index/search/sessions.ts'
import { bytesOf } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import { byLatest } from '../../session/latest.ts'
import type { SessionUsage } from '../../usage/session-usage.ts'
import { badRequest } from '../error.ts'

/** A session with what it is ordered by. */
export interface ListEntry extends IndexedSession {
  /** The time of its latest record. */
  endedAt: Instant
  /** Key and name of its project. */
  project: string
  projectName: string
}

export interface OrderContext {
  live: ReadonlySet<string>
  costs: ReadonlyMap<string, SessionUsage>
  /** By session, those that were forked or continued from each other. */
  families: ReadonlyMap<string, readonly string[]>
}

/** An entry at its place. */
export interface PlacedEntry {
  entry: ListEntry
  /** It is here because of this one, the last used of its family. */
  follows?: string
}

type Value = (entry: ListEntry, context: OrderContext) => number

/** The largest first; `title` is the one order by text. */
const values: Readonly<Record<string, Value>> = {
  used: entry => toMillis(entry.endedAt) ?? 0,
  started: ({ facts }) => toMillis(facts.startedAt) ?? 0,
  duration: ({ facts }) => facts.durationMs ?? 0,
  prompts: ({ facts }) => facts.prompts,
  calls: ({ facts }) => facts.toolCalls,
  errors: ({ facts }) => facts.errors,
  tokens: ({ session, facts }, { costs }) => totalTokens(costs.get(session.id)?.usage ?? facts.usage),
  cost: ({ session }, { costs }) => costs.get(session.id)?.costUSD ?? 0,
  size: ({ session }) => bytesOf(session),
}

/** `entries`: the last used first. */
export function orderEntries(
  entries: readonly ListEntry[],
  { sort = 'used', group = '' }: { sort?: string; group?: string },
  context: OrderContext,
): PlacedEntry[] {
  if (group !== '' && group !== 'project') throw badRequest(`Unknown group "${group}".`, 'Use project.')
  const placed = sort === 'used' || sort === '' ? byUse(entries, context) : sorted(entries, sort, context)
  return group === 'project' ? byProject(placed) : placed
}

/** Live ones on top. A family is where its last used session is. */
function byUse(entries: readonly ListEntry[], { live, families }: OrderContext): PlacedEntry[] {
  const isLive = ({ session }: ListEntry) => live.has(session.id)
  const first = [...entries.filter(isLive), ...entries.filter(entry => !isLive(entry))]
  const byId = new Map(first.map(entry => [entry.session.id as string, entry]))
  const placed: PlacedEntry[] = []
  for (const entry of first) {
    const id: string = entry.session.id
    if (!byId.delete(id)) continue
    placed.push({ entry })
    const others = (families.get(id) ?? []).flatMap(one => byId.get(one) ?? [])
    for (const other of others.sort(byLatest)) {
      byId.delete(other.session.id)
      placed.push({ entry: other, follows: id })
    }
  }
  return placed
}

function sorted(entries: readonly ListEntry[], sort: string, context: OrderContext): PlacedEntry[] {
  const value = Object.hasOwn(values, sort) ? values[sort] : undefined
  if (value === undefined && sort !== 'title') {
    throw badRequest(`Cannot sort by "${sort}".`, `Use one of ${[...Object.keys(values), 'title'].join(', ')}.`)
  }
  const compare = value
    ? (one: ListEntry, other: ListEntry) => value(other, context) - value(one, context)
    : (one: ListEntry, other: ListEntry) => titles.compare(one.facts.title, other.facts.title)
  return [...entries].sort(compare).map(entry => ({ entry }))
}

const titles = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** The project of the first one first. A fork in another project is by itself there. */
function byProject(placed: readonly PlacedEntry[]): PlacedEntry[] {
  const projects = new Map<string, PlacedEntry[]>()
  for (const { entry, follows } of placed) {
    const known = projects.get(entry.project) ?? []
    const isBelow = follows !== undefined && known.some(one => one.entry.session.id === follows)
    known.push(isBelow ? { entry, follows } : { entry })
    projects.set(entry.project, known)
  }
  return [...projects.values()].flat()
}
