// What is appended to change what a resume sends: a compaction, or a branch without what was taken back. The events are made of
// what the log has; each dialect has its own way, and some have none.

import { randomUUID } from 'node:crypto'
import { isContinuationText } from '../decode/user.ts'
import { buildGraph } from '../graph/graph.ts'
import { isBeside, isChainEvent, type SessionEvent } from '../model/event.ts'
import type { SessionLog } from './session-log.ts'
import { callIdsIn } from './wire/content.ts'
import { WriteError } from './wire/error.ts'
import { notice, text } from './wire/make.ts'
import { type Loss, type NewBlock, type NewEvent, toNewEvent } from './wire/new-event.ts'

/** How a session is compacted. */
export interface Compaction {
  /** What is sent in place of all that was before. */
  summary: string
  /** How many of the last turns are sent as they are; none where absent. */
  keep?: number
  trigger?: 'manual' | 'auto'
  /** Tokens that were sent before, where they are known. */
  preTokens?: number
}

/** Claude Code begins a summary like this, so that the model knows what it is. */
const continuation = 'This session is being continued from a previous conversation. What was said before, in short:\n\n'

export function compactionEvents(log: SessionLog, compaction: Compaction, losses: Loss[]): NewEvent[] {
  const { summary, keep = 0, trigger = 'manual', preTokens = 0 } = compaction
  if (typeof summary !== 'string' || summary.trim() === '')
    throw new WriteError('bad-input', 'A compaction needs a summary.', 'summary')
  if (!Number.isSafeInteger(keep) || keep < 0)
    throw new WriteError('bad-input', 'The number of turns to keep is a whole number.', 'keep')
  if (log.state.leafOf() === undefined) throw new WriteError('role-order', 'There is nothing to compact.', 'summary')
  const said = isContinuationText(summary) ? summary : continuation + summary
  const kept =
    keep === 0
      ? []
      : lastTurns(
          log.eventsBack(events => countTurns(events) >= keep),
          keep,
        )
  const ending: NewEvent = { kind: 'compact-summary', actor: 'client', blocks: [text(said)] }
  switch (log.form.name) {
    case 's0':
      return [...preludes(kept, losses), ending]
    case 's3':
      return [...phases(log, kept), ending]
    case 's4':
      if (kept.length > 0) losses.push({ event: 'compaction', path: 'keep', why: '004 has no compaction' })
      return [boundary(trigger, preTokens, []), { ...ending, parent: null }]
    default: {
      // Older versions of Claude Code go on from the newest record: only what follows the summary has the preserved turns above it.
      const id = randomUUID()
      const uuids = kept.flatMap(event => event.stated.uuid ?? [])
      const behind = log.form.name === 'real' && uuids.length > 0 ? [notice('The last turns are sent as they are')] : []
      return [boundary(trigger, preTokens, uuids, id), { ...ending, id }, ...behind]
    }
  }
}

function boundary(trigger: string, preTokens: number, uuids: readonly string[], anchor?: string): NewEvent {
  const preserved = uuids.length === 0 ? {} : { preserved: { uuids, anchor } }
  return { kind: 'compaction', actor: 'client', detail: { trigger, preTokens, ...preserved } }
}

/** 000 repeats what it preserves, as texts, and needs something for the summary to follow. */
function preludes(kept: readonly SessionEvent[], losses: Loss[]): NewEvent[] {
  const said = kept.flatMap(event => {
    const texts = event.blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))
    if (texts.length < event.blocks.length) losses.push({ event: event.id, path: 'blocks', why: '000 preserves texts' })
    return texts.length === 0 ? [] : [texts.join('\n')]
  })
  const texts = said.length === 0 ? ['Conversation compacted'] : said
  return texts.map(one => ({ kind: 'preserved', actor: 'client', parent: null, blocks: [text(one)] }))
}

/** 003 marks how a compaction begins and ends, and counts. */
function phases(log: SessionLog, kept: readonly SessionEvent[]): NewEvent[] {
  const totalMessages = log.readAll().filter(isChainEvent).length
  const counts = { preservedMessages: kept.length, totalMessages }
  return [
    { kind: 'compaction', actor: 'client', detail: { phase: 'start' } },
    { kind: 'compaction', actor: 'client', detail: { phase: 'done', ...counts } },
    { kind: 'compaction', actor: 'client', detail: { phase: 'restored' } },
  ]
}

/** The records that Claude Code sends, or that their chain goes through. */
const sendable: ReadonlySet<string> = new Set(['user', 'assistant', 'attachment', 'system', 'human', 'tool_result'])

/** Where the turns of the current branch begin, as they are counted everywhere. */
function turnStarts(path: readonly SessionEvent[], events: readonly SessionEvent[]): number[] {
  const [first] = events
  if (first === undefined) return []
  const { turns } = buildGraph(first.session, [{ path: first.source.file, role: 'session', events }])
  const prompts = new Set(turns.map(({ prompt }) => prompt))
  return path.flatMap((event, at) => (prompts.has(event.id) ? [at] : []))
}

function countTurns(events: readonly SessionEvent[]): number {
  return turnStarts(mainPath(events), events).length
}

/** The last turns of the current branch, back to a compaction at most. */
function lastTurns(events: readonly SessionEvent[], count: number): SessionEvent[] {
  const path = mainPath(events)
  const from = turnStarts(path, events).at(-count) ?? 0
  return path.slice(from).filter(({ wireType }) => sendable.has(wireType))
}

/**
 * From the last record of a thread up to a root or a compaction, in the order of the file. All lines of an answer are on it, and
 * all results of its calls, though of parallel ones only one is above the last record.
 */
function mainPath(events: readonly SessionEvent[], thread?: string): SessionEvent[] {
  const chain = events.filter(event => isChainEvent(event) && !isBeside(event) && isOnThread(event, thread))
  const byId = new Map(chain.map(event => [event.id as string, event]))
  const path = new Set<SessionEvent>()
  for (let at = chain.at(-1); at !== undefined && !path.has(at); at = byId.get(at.parent ?? '')) {
    if (isBorder(at)) break
    path.add(at)
  }
  const answers = new Set([...path].flatMap(({ message }) => message?.id ?? []))
  const isLine = ({ message }: SessionEvent) => message !== undefined && answers.has(message.id)
  const lines = chain.filter(event => path.has(event) || isLine(event))
  const calls = new Set(lines.flatMap(event => callIdsIn(event, 'tool-call')))
  const isResult = (event: SessionEvent) => callIdsIn(event, 'tool-result').some(call => calls.has(call))
  return chain.filter(event => path.has(event) || isLine(event) || isResult(event))
}

/** A micro-compaction takes outputs away, and no history. */
function isBorder({ kind, detail }: SessionEvent): boolean {
  return kind === 'compact-summary' || (kind === 'compaction' && detail?.phase !== 'micro')
}

function isOnThread(event: SessionEvent, thread: string = event.session): boolean {
  return (event.thread as string) === thread
}

/** A branch on which an event says nothing any more; none where the dialect has no such mark. */
export function deletionEvents(log: SessionLog, id: string, losses: Loss[]): NewEvent[] {
  const refuse = (why: string): NewEvent[] => {
    losses.push({ event: id, path: 'flags.deleted', why })
    return []
  }
  if (!log.form.canDelete) return refuse('the dialect has no mark for what was taken back, and a log only grows')
  const events = log.readAll()
  const named = log.state.recordsOf(id).at(-1) ?? id
  const event = events.find(one => one.id === named)
  if (event === undefined) throw new WriteError('unknown-parent', `The session has no event ${id}.`, 'event')
  const path = mainPath(events, event.thread)
  const at = path.indexOf(event)
  if (at < 0) return refuse('it is not on the branch that continues')
  if (event.parent === null && log.form.name === 's3') return refuse('003 has a parent for all that was deleted')
  return copied(path.slice(startOf(path, at)), event)
}

/** Calls are copied with their results: from where on nothing answers a call that is before. */
function startOf(path: readonly SessionEvent[], at: number): number {
  const madeAt = new Map(
    path.flatMap((event, place) =>
      event.blocks.flatMap(block => (block.type === 'tool-call' ? [[block.callId as string, place] as const] : [])),
    ),
  )
  let start = at
  for (let place = path.length - 1; place >= start; place--)
    for (const block of path[place]?.blocks ?? [])
      if (block.type === 'tool-result') start = Math.min(start, madeAt.get(block.callId) ?? start)
  return start
}

function copied(events: readonly SessionEvent[], deleted: SessionEvent): NewEvent[] {
  const names = new Map<string, string>()
  const calls = new Map<string, string>()
  return events.map(event => {
    const id = randomUUID()
    const { raw: _raw, ...rest } = toNewEvent(event, false)
    const copy: NewEvent = {
      ...rest,
      id,
      parent: event.parent === null ? null : (names.get(event.parent) ?? event.parent),
      blocks: (rest.blocks ?? []).map(block => withNewCall(block, calls)),
      flags: event === deleted ? [...event.flags, 'deleted'] : event.flags,
    }
    delete copy.at
    names.set(event.id, id)
    return copy
  })
}

/** No two calls have one id. */
function withNewCall(block: NewBlock, calls: Map<string, string>): NewBlock {
  if (block.type !== 'tool-call' && block.type !== 'tool-result') return block
  if (block.type === 'tool-call') calls.set(block.callId, `toolu_${randomUUID().replaceAll('-', '')}`)
  const callId = (calls.get(block.callId) ?? block.callId) as typeof block.callId
  return { ...block, callId }
}
