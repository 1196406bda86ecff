// Which facts of a session are not the same after it was written in a dialect and read again. The losses that are reported are
// found by reading, so that none is overlooked; a dialect only says why.

import { asObject, isObject, jsonText } from '../../base/json.ts'
import { type Block, type Flag, privateTypes, type SessionEvent } from '../../model/event.ts'
import type { DialectForm } from './dialects.ts'
import type { Loss } from './new-event.ts'

/** One or more events that were written together, and the records that were made of them. */
export interface WrittenGroup {
  before: readonly SessionEvent[]
  after: readonly SessionEvent[]
}

/** What a difference is called that the dialect has no reason for: a mistake of the writer's. */
export const unexplained = 'not explained'

/** All differences, in the order of the session. */
export function lossesOf(groups: readonly WrittenGroup[], form: DialectForm, mains?: SessionNames): Loss[] {
  const names = new Names(groups, mains)
  return groups.flatMap(group => [...groupLosses(group, form, names)])
}

/** What no dialect gets, whatever it could say. */
export function notWritten({ dialect, wireType }: SessionEvent): 'journal' | 'owner' | null {
  if (privateTypes.has(wireType)) return 'owner'
  return dialect === 'journal' ? 'journal' : null
}

function* groupLosses({ before, after }: WrittenGroup, form: DialectForm, names: Names): Generator<Loss> {
  const [event] = before
  if (event === undefined) return
  const loss = ({ path, key, of = event }: Difference): Loss => ({
    event: of.id,
    path,
    why: form.cannot.find(([pattern]) => pattern.test(key))?.[1] ?? unexplained,
  })
  const [first] = after
  if (first === undefined) {
    yield loss({ path: '', key: `event:${notWritten(event) ?? event.kind}` })
    return
  }
  if (first.kind !== event.kind) yield loss({ path: 'kind', key: `kind:${event.kind}` })
  for (const one of differences(factsOf(before, names, 'before'), factsOf(after, names, 'after'))) yield loss(one)
  for (const one of blockDifferences(before, after, names)) yield loss(one)
  for (const of of before.slice(1)) yield loss({ path: 'record', key: 'record', of })
}

/** `key`: what kind of fact it is, whichever block has it: `blocks:thinking`, `blocks:tool-result.structured`. */
interface Difference {
  path: string
  key: string
  /** Absent: the first event of the group. */
  of?: SessionEvent
}

type Facts = ReadonlyMap<string, unknown>

function* differences(before: Facts, after: Facts): Generator<Difference> {
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    if (jsonText(before.get(path) ?? null) !== jsonText(after.get(path) ?? null)) yield { path, key: path }
  }
}

/** A block has become the next one of its type; one that has none is lost. */
function* blockDifferences(
  before: readonly SessionEvent[],
  after: readonly SessionEvent[],
  names: Names,
): Generator<Difference> {
  const written = after.flatMap(({ blocks }) => blocks)
  let next = 0
  const blocks = before.flatMap(of => of.blocks.map((block, at) => ({ of, block, path: `blocks[${at}]` })))
  for (const { of, block, path } of blocks) {
    const key = `blocks:${block.type}`
    const found = written[next]
    if (found?.type !== block.type) {
      yield { path, key, of }
      continue
    }
    next++
    for (const one of differences(blockFacts(block, names, 'before'), blockFacts(found, names, 'after')))
      yield { path: `${path}.${one.path}`, key: `${key}.${one.key}`, of }
  }
  for (const block of written.slice(next)) yield { path: 'blocks', key: `blocks:+${block.type}` }
}

function blockFacts(block: Block, names: Names, side: Side): Facts {
  const facts = new Map<string, unknown>(Object.entries(block))
  facts.delete('inferredId')
  facts.delete('spillFile')
  if (block.type === 'tool-call' || block.type === 'tool-result') facts.set('callId', names.call(side, block.callId))
  return facts
}

/** What the session is called before and afterwards; absent: as each event says. */
type SessionNames = Readonly<Record<Side, string>>

/** Ids are other ones afterwards: what they name is compared. */
class Names {
  private readonly mains: SessionNames | undefined
  private readonly groups = new Map<string, number>()
  private readonly written: boolean[]
  private readonly parents: (string | null)[]
  private readonly calls = { before: new Map<string, string>(), after: new Map<string, string>() }
  private readonly threads = { before: new Map<string, number>(), after: new Map<string, number>() }

  constructor(groups: readonly WrittenGroup[], mains?: SessionNames) {
    this.mains = mains
    this.written = groups.map(({ after }) => after.length > 0)
    this.parents = groups.map(({ before }) => before[0]?.parent ?? null)
    for (const [at, { before, after }] of groups.entries()) {
      for (const event of before) this.groups.set(`before ${event.id}`, at)
      for (const event of after) this.groups.set(`after ${event.id}`, at)
      this.noteCalls(before, at, 'before')
      this.noteCalls(after, at, 'after')
      for (const side of ['before', 'after'] as const) {
        const [first] = side === 'before' ? before : after
        // A thread begins with the first of its events that could be written.
        if (after.length > 0 && first !== undefined && !this.threads[side].has(first.thread))
          this.threads[side].set(first.thread, at)
      }
    }
  }

  private noteCalls(events: readonly SessionEvent[], at: number, side: Side): void {
    let number = 0
    for (const block of events.flatMap(({ blocks }) => blocks))
      if (block.type === 'tool-call') this.calls[side].set(block.callId, `${at}.${number++}`)
  }

  /** The group that an event is in; itself where it is in none. */
  group(side: Side, id: string | null | undefined): number | string | null {
    return id === null || id === undefined ? null : (this.groups.get(`${side} ${id}`) ?? id)
  }

  /** What an event follows: where that could not be written, what it followed itself. */
  parent(side: Side, id: string | null): number | string | null {
    const seen = new Set<number | string>()
    let at = this.group(side, id)
    while (side === 'before' && typeof at === 'number' && !this.written[at] && !seen.has(at)) {
      seen.add(at)
      at = this.group(side, this.parents[at])
    }
    return at
  }

  call(side: Side, id: string): string {
    return this.calls[side].get(id) ?? id
  }

  /** Where a thread begins; the main thread is the one whose name is the session's. */
  thread(side: Side, { thread, session }: SessionEvent): number | string {
    const main = this.mains?.[side] ?? session
    return (thread as string) === main ? 'main' : (this.threads[side].get(thread) ?? thread)
  }

  /** A file may have records of other sessions. */
  session(side: Side, { session }: SessionEvent): string {
    return this.mains === undefined || session === this.mains[side] ? 'own' : session
  }
}

type Side = 'before' | 'after'

/** Marks that state something; the others follow from the place or the content of a record. */
const statedFlags: readonly Flag[] = ['meta', 'deleted', 'aborted', 'active', 'transcript-only']

function factsOf(events: readonly SessionEvent[], names: Names, side: Side): Facts {
  const facts = new Map<string, unknown>()
  const [first] = events as [SessionEvent]
  facts.set('actor', first.actor)
  facts.set('at', first.at ?? undefined)
  facts.set('parent', names.parent(side, first.parent))
  if (first.logicalParent !== undefined) facts.set('logicalParent', names.parent(side, first.logicalParent))
  facts.set('thread', names.thread(side, first))
  facts.set('session', names.session(side, first))
  for (const field of ['version', 'cwd', 'gitBranch'] as const) facts.set(field, first[field])
  addMessage(facts, events)
  const flags = statedFlags.filter(flag => events.some(event => event.flags.includes(flag)))
  for (const flag of flags) facts.set(`flags.${flag}`, true)
  for (const [key, value] of Object.entries(first.detail ?? {})) {
    if (!placed.has(key)) facts.set(`detail.${key}`, namedIn(value, names, side))
  }
  return facts
}

/** Fields of a detail that say where the record is, or repeat what it is made of. */
const placed: ReadonlySet<string> = new Set(['sourceToolAssistantUUID', 'rendered', 'forkedFrom'])

function addMessage(facts: Map<string, unknown>, events: readonly SessionEvent[]): void {
  const message = events.find(event => event.message !== undefined)?.message
  if (message === undefined) return
  const { usage, ...rest } = message
  for (const [key, value] of Object.entries(rest)) facts.set(`message.${key}`, value)
  if (usage === undefined) return
  // Whether the output is final follows from version and stop reason.
  for (const [key, value] of Object.entries(usage)) if (key !== 'outputFinal') facts.set(`message.usage.${key}`, value)
}

/** A value in which ids of events are named by their group. */
function namedIn(value: unknown, names: Names, side: Side): unknown {
  if (typeof value === 'string') return names.group(side, value)
  if (Array.isArray(value)) return value.map(one => namedIn(one, names, side))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(asObject(value) ?? {}).map(([key, one]) => [key, namedIn(one, names, side)]))
}
