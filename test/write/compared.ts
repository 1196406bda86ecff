// What is not the same in two forms of one session, found in another way than src/write/wire/losses.ts finds it: events are
// matched by their ids, or by their order where a dialect has none, and compared by what they say, call, answer and follow.

import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import type { Block, SessionEvent } from '../../src/model/event.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { GraphFile, SessionGraph } from '../../src/model/session.ts'
import type { WrittenSession } from '../../src/write/wire/convert.ts'
import type { Loss } from '../../src/write/wire/new-event.ts'

/** The session as it is read after it was written. */
export function readWritten({ session, lines, agents }: WrittenSession): SessionGraph {
  const decoded = (text: readonly string[], options: object) =>
    decodeText(Buffer.from(text.map(line => `${line}\n`).join('')), { session, data: true, ...options }).events
  const files: GraphFile[] = [{ path: 'main', role: 'session', events: decoded(lines, { file: 'main' }) }]
  for (const { agent, lines: own, meta } of agents)
    files.push({
      path: agent,
      role: 'agent',
      agent,
      ...(meta !== undefined && { meta }),
      events: decoded(own, { file: agent, role: 'agent', agent }),
    })
  return buildGraph(sessionId(session), files)
}

/** An event and what it became. */
interface Pair {
  before: SessionEvent
  after: SessionEvent[]
}

const saying: ReadonlySet<Block['type']> = new Set([
  'text',
  'thinking',
  'tool-call',
  'tool-result',
  'image',
  'document',
])
/** Made by the writer so that a resume finds its way: no event of the session. */
const added: ReadonlySet<string> = new Set(['state', 'compaction'])

/** Differences that no loss names, a line for each. */
export function unnamedDifferences(before: SessionGraph, after: SessionGraph, losses: readonly Loss[]): string[] {
  return [...new Comparison(before, after, losses).differences()]
}

class Comparison {
  private readonly lost = new Map<string, string[]>()
  private readonly sources: SessionEvent[]
  private readonly written: readonly SessionEvent[]
  private readonly pairs = new Map<SessionEvent, Pair>()
  private readonly owners = new Map<string, SessionEvent>()
  private readonly byId: Map<string, SessionEvent>
  private readonly unowned: SessionEvent[] = []

  constructor(before: SessionGraph, after: SessionGraph, losses: readonly Loss[]) {
    // Ids of lines without one are their places in a file: those of a journal may be those of a log.
    for (const { event, path, why } of losses)
      if (!why.includes('journal')) this.lost.set(event, [...(this.lost.get(event) ?? []), path])
    this.byId = new Map(before.events.map(event => [event.id as string, event]))
    this.sources = before.events.filter(event => !this.isLost(event, '') && event.dialect !== 'journal')
    this.written = after.events
    for (const event of this.sources) this.pairs.set(event, { before: event, after: [] })
    this.match()
  }

  *differences(): Generator<string> {
    for (const event of this.unowned)
      if (!added.has(event.kind)) yield `${event.id}: a ${event.kind} that nothing became`
    for (const pair of this.pairs.values()) {
      yield* this.kindAndBlocks(pair)
      yield* this.place(pair)
    }
    yield* this.order()
  }

  /** By id; where none is kept, by what is said, in order. */
  private match(): void {
    const named = new Map(this.sources.filter(hasId).map(event => [event.id as string, event]))
    const isNamed = this.written.some(event => named.has(event.id))
    const rest = this.sources.filter(event => !isNamed || !hasId(event))
    let last: SessionEvent | undefined
    for (const event of this.written) {
      const known = isNamed ? named.get(event.id) : undefined
      const continued = last !== undefined && hasId(event) && isMore(this.pairs.get(last), event) ? last : undefined
      const owner = known ?? continued ?? take(rest, event)
      if (hasId(event)) last = owner
      if (owner === undefined) this.unowned.push(event)
      else this.own(owner, event)
    }
    this.joinResults()
  }

  private own(owner: SessionEvent, event: SessionEvent): void {
    this.pairs.get(owner)?.after.push(event)
    this.owners.set(event.id, owner)
  }

  /** Results that were written with those of other calls of the same answer. */
  private joinResults(): void {
    const holders = new Map<string, SessionEvent>()
    for (const event of this.written)
      for (const block of event.blocks) if (block.type === 'tool-result') holders.set(block.callId, event)
    for (const pair of this.pairs.values()) {
      const results = pair.before.blocks.filter(({ type }) => type === 'tool-result')
      if (pair.before.kind !== 'tool-results' || results.length === 0) continue
      const record = results.flatMap(one => (one.type === 'tool-result' ? (holders.get(one.callId) ?? []) : []))[0]
      if (record === undefined) continue
      const own = new Set(pair.before.blocks.map(nameOf))
      const joined = [{ ...record, blocks: record.blocks.filter(block => own.has(nameOf(block))) }]
      if (pair.after.length === 0) pair.after.push(...joined)
      else if (pair.after.length === 1 && (pair.after[0]?.blocks.length ?? 0) > pair.before.blocks.length)
        pair.after.splice(0, 1, ...joined)
    }
  }

  private *kindAndBlocks({ before, after }: Pair): Generator<string> {
    const [first] = after
    if (first === undefined) {
      yield `${before.id}: nothing became of this ${before.kind}`
      return
    }
    if (first.kind !== before.kind && !this.isLost(before, 'kind'))
      yield `${before.id}: ${before.kind} became ${first.kind}`
    const said = after.flatMap(({ blocks }) => blocks).filter(({ type }) => saying.has(type))
    for (const [at, block] of before.blocks.entries()) {
      if (!saying.has(block.type)) continue
      const isChanged = this.isLost(before, `blocks[${at}]`, true)
      const [next] = said
      if (next !== undefined && next.type === block.type && (isChanged || textOf(next) === textOf(block))) said.shift()
      else if (!isChanged) yield `${before.id}: block ${at} is ${next === undefined ? 'gone' : brief(textOf(next))}`
    }
    if (said.length > 0 && !this.isLost(before, 'blocks'))
      yield `${before.id}: says more than before: ${brief(said.map(textOf).join(' '))}`
  }

  private *place({ before, after }: Pair): Generator<string> {
    const [first] = after
    if (first === undefined || !hasId(before)) return
    if (!this.isLost(before, 'parent') && !this.isLost(before, 'record')) {
      const [stated, now] = [this.above(before), this.ownerOf(first.parent)]
      if (!this.isSame(stated, now)) yield `${before.id}: follows ${now}, not ${stated}`
    }
    for (const [at, block] of before.blocks.entries()) {
      if (block.type !== 'tool-result' || this.isLost(before, `blocks[${at}]`, true)) continue
      const now = after.flatMap(({ blocks }) => blocks).filter(one => one.type === 'tool-result')
      const call = callerOf(this.byId.values(), block.callId)
      const caller = call === undefined || !this.pairs.has(call) ? undefined : call
      const callers = now.map(one => this.owners.get(callerOf(this.written, one.callId)?.id ?? ''))
      if (caller !== undefined && !callers.includes(caller)) yield `${before.id}: answers another call`
    }
  }

  /** What is written in one file comes in the order in which it was, but for results that come together. */
  private *order(): Generator<string> {
    const places = new Map(this.written.map((event, at) => [event.id as string, at]))
    const ends = new Map<string, { at: number; id: string }>()
    for (const { before, after } of this.pairs.values()) {
      const at = places.get(after[0]?.id ?? '')
      if (at === undefined || !hasId(before) || before.kind === 'tool-results' || passing.has(before.kind)) continue
      const end = ends.get(before.thread)
      if (end !== undefined && end.at > at) yield `${before.id}: is before ${end.id}`
      ends.set(before.thread, { at, id: before.id })
    }
  }

  /** The event that it follows, or the one before that, where that could not be written. */
  private above(event: SessionEvent): string | null {
    let at: SessionEvent | undefined = event
    const seen = new Set<SessionEvent>()
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      if (at.parent === null) return null
      const parent = this.byId.get(at.parent)
      if (parent === undefined) return at.parent
      if (this.pairs.has(parent)) return parent.id
      at = parent
    }
    return null
  }

  private ownerOf(id: string | null): string | null {
    return id === null ? null : (this.owners.get(id)?.id ?? id)
  }

  /** What was written as one record is followed as one. */
  private isSame(one: string | null, other: string | null): boolean {
    const recordOf = (id: string | null) => this.pairs.get(this.byId.get(id ?? '') as SessionEvent)?.after[0]?.id
    return one === other || (one !== null && recordOf(one) !== undefined && recordOf(one) === recordOf(other))
  }

  private isLost({ id }: SessionEvent, path: string, isPart = false): boolean {
    const paths = this.lost.get(id) ?? []
    return paths.some(one => one === path || (isPart && (one.startsWith(`${path}.`) || one.startsWith(`${path}[`))))
  }
}

/** May be written between an answer's lines and the results of its calls. */
const passing: ReadonlySet<string> = new Set(['progress', 'snapshot', 'state', 'queue', 'title', 'link'])

/** Of a record: what has none is called after its place. */
function hasId({ id }: SessionEvent): boolean {
  return !id.includes('@')
}

/** Whether an event has blocks left that a further record may be of. */
function isMore(pair: Pair | undefined, event: SessionEvent): boolean {
  if (pair === undefined || pair.before.kind !== event.kind) return false
  if (event.kind === 'compaction') return true
  const written = pair.after.flatMap(({ blocks }) => blocks).length
  return event.blocks.length > 0 && pair.before.blocks.length > written
}

/** The first of them that says the same, which is taken out; among events without words, the first of the kind. */
function take(rest: SessionEvent[], event: SessionEvent): SessionEvent | undefined {
  const wordsOf = ({ blocks }: SessionEvent) => blocks.map(block => `${block.type} ${textOf(block)}`)
  const [said] = wordsOf(event)
  const at = rest.findIndex(one => {
    if (hasId(one) !== hasId(event)) return false
    const words = wordsOf(one)
    if (event.kind === 'compaction' || said === undefined || words.length === 0) return one.kind === event.kind
    return words.includes(said)
  })
  return at < 0 ? undefined : rest.splice(at, 1)[0]
}

function callerOf(events: Iterable<SessionEvent>, call: string): SessionEvent | undefined {
  for (const event of events)
    if (event.blocks.some(block => block.type === 'tool-call' && block.callId === call)) return event
  return undefined
}

/** Of a result its call: what it says may be changed. */
function nameOf(block: Block): string {
  return block.type === 'tool-result' ? block.callId : textOf(block)
}

function textOf(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text
    case 'tool-call':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'tool-result':
      return `${block.isError ? 'error ' : ''}${block.content.map(textOf).join('\n')}`
    case 'image':
    case 'document':
      return `${block.mediaType} ${block.data ?? ''}`
    case 'other':
      return JSON.stringify(block.raw)
  }
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
