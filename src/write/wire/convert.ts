// A session in another dialect: which events are written in which order into which file, and what is lost by it.

import { textToBytes } from '../../base/bytes.ts'
import { asObject, jsonText } from '../../base/json.ts'
import { decodeText } from '../../decode/decode.ts'
import { contextOfEvents } from '../../graph/context/context.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type ThreadId, threadId } from '../../model/ids.ts'
import type { SessionGraph, Thread } from '../../model/session.ts'
import type { AgentMeta } from '../../model/source.ts'
import { type DialectForm, dialectForms, newAgentName, type WireDialect } from './dialects.ts'
import { Encoder, type EncoderOptions, type WrittenRecord } from './encoder.ts'
import { lossesOf, notWritten, type WrittenGroup } from './losses.ts'
import { type Loss, type NewEvent, toNewEvent } from './new-event.ts'

/** A session as it is to be written. */
export interface WrittenSession {
  dialect: WireDialect
  session: string
  /** Lines of the session's own file. */
  lines: string[]
  /** Subagents with a file of their own. */
  agents: WrittenAgent[]
  losses: Loss[]
  /** For its name and place: when it began, and where. */
  startedAt: string | null
  cwd: string | null
}

export interface WrittenAgent {
  agent: string
  /** What it was called before. */
  thread: ThreadId
  lines: string[]
  meta?: AgentMeta
}

export type ConvertOptions = Pick<EncoderOptions, 'newId' | 'now'> & {
  /** Absent: its own, where the dialect can have it. */
  session?: string
}

/** The session in a dialect, with all that is lost; it was read with the data of its media. What is not a record stays behind in the source. */
export function convertSession(graph: SessionGraph, dialect: WireDialect, options: ConvertOptions): WrittenSession {
  const form = dialectForms[dialect]
  const session = options.session ?? sessionName(graph.session, form, options)
  const encoder = new Encoder(dialect, { ...options, session, ...settingOf(graph), isStrict: false })
  const agents = agentNames(graph, form, options)
  const preserved = preservedIn(graph, form)
  const groups = groupsOf(graph, form)
  const written = new Map<string, WrittenRecord[]>([['', []]])
  const usage = sharedUsage(graph, form)
  const records = groups.map(group => {
    const event = joined(group, { agents, preserved, usage })
    const border = borderBefore(group, event, options)
    const before = border === null ? [] : encoder.encode(border)
    if (border?.id !== undefined && before.length > 0) event.parent = border.id
    const made = group[0] !== undefined && notWritten(group[0]) !== null ? [] : encoder.encode(event)
    for (const record of [...before, ...made]) fileOf(written, record).push(record)
    return made
  })
  finish(written, encoder, graph, form)
  const files = [...written].map(([agent, records]) => ({ agent, lines: records.map(({ value }) => jsonText(value)) }))
  const result: WrittenSession = {
    dialect,
    session,
    lines: files.find(({ agent }) => agent === '')?.lines ?? [],
    agents: files.filter(({ agent }) => agent !== '').map(file => withMeta(file, graph, agents)),
    losses: [],
    startedAt: graph.events.find(({ at }) => at !== null)?.at ?? null,
    cwd: graph.events.find(event => event.cwd !== undefined)?.cwd ?? null,
  }
  const mains = { before: graph.session as string, after: session }
  result.losses = lossesOf(readAgain(result, groups, records, written), form, mains)
  return result
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function sessionName(session: string, form: DialectForm, { newId }: ConvertOptions): string {
  return !form.hasUuids || uuidForm.test(session) ? session : newId()
}

function settingOf(graph: SessionGraph): Pick<EncoderOptions, 'version' | 'cwd'> {
  const cwd = graph.events.find(event => event.cwd !== undefined)?.cwd
  return cwd === undefined ? {} : { cwd }
}

function fileOf(written: Map<string, WrittenRecord[]>, { agent = '' }: WrittenRecord): WrittenRecord[] {
  const found = written.get(agent)
  if (found !== undefined) return found
  const file: WrittenRecord[] = []
  written.set(agent, file)
  return file
}

/** Names of subagents as the dialect's files can have them. */
function agentNames(graph: SessionGraph, form: DialectForm, { newId }: ConvertOptions): Map<ThreadId, string> {
  const names = new Map<ThreadId, string>()
  const taken = new Set<string>()
  for (const { id, kind } of graph.threads) {
    if (kind === 'main') continue
    const isUsable = form.name === 's2' ? /^[0-9a-f]{7}$/.test(id) : /^[\w-]+$/.test(id) && !uuidForm.test(id)
    let name = isUsable || !form.hasAgentFiles ? (id as string) : newAgentName(form, newId())
    while (taken.has(name)) name = newAgentName(form, newId())
    taken.add(name)
    names.set(id, name)
  }
  return names
}

/** Events that become one or more records together, in the order in which they are written. */
function groupsOf(graph: SessionGraph, form: DialectForm): SessionEvent[][] {
  const main = threadId(graph.session)
  const threads = new Map(graph.threads.filter(({ kind }) => kind === 'subagent').map(thread => [thread.id, thread]))
  const byThread = new Map<ThreadId, SessionEvent[]>()
  for (const event of graph.events) {
    const thread = threads.has(event.thread) ? event.thread : main
    const events = byThread.get(thread)
    if (events === undefined) byThread.set(thread, [event])
    else events.push(event)
  }
  const order: SessionEvent[] = []
  const done = new Set<ThreadId>()
  const add = (thread: ThreadId): void => {
    if (done.has(thread)) return
    done.add(thread)
    for (const event of byThread.get(thread) ?? []) {
      order.push(event)
      if (!form.hasAgentFiles) for (const started of startedBy(event, threads)) add(started.id)
    }
  }
  add(main)
  for (const thread of byThread.keys()) add(thread)
  return form.joinsResults ? withResultsJoined(order) : order.map(event => [event])
}

function startedBy(event: SessionEvent, threads: ReadonlyMap<ThreadId, Thread>): Thread[] {
  const calls = new Set(event.blocks.flatMap(block => (block.type === 'tool-call' ? [block.callId] : [])))
  return [...threads.values()].filter(
    ({ call, startEvent }) => (call !== undefined && calls.has(call)) || startEvent === event.id,
  )
}

/**
 * All lines of an answer, then all results of its calls in one group: Claude Code writes each result when it comes.
 *
 *     call A · result A · call B · result B   →   call A · call B · [result A, result B]
 */
function withResultsJoined(events: readonly SessionEvent[]): SessionEvent[][] {
  const groups: SessionEvent[][] = []
  let lines: SessionEvent[] = []
  let results: SessionEvent[] = []
  let between: SessionEvent[] = []
  const flush = (): void => {
    for (const line of lines) groups.push([line])
    for (const event of between) groups.push([event])
    if (results.length > 0) groups.push(results)
    lines = []
    results = []
    between = []
  }
  for (const event of events) {
    const [last] = lines
    const isSameThread = last !== undefined && last.thread === event.thread
    if (event.kind === 'answer') {
      if (!isSameThread || event.message?.id === undefined || event.message.id !== last.message?.id) flush()
      lines.push(event)
    } else if (event.kind === 'tool-results' && isSameThread) results.push(event)
    else if (isSameThread && passing.has(event.kind)) between.push(event)
    else {
      flush()
      groups.push([event])
    }
  }
  flush()
  return groups
}

/** Kinds that may come between the lines of an answer and its results. */
const passing: ReadonlySet<string> = new Set(['progress', 'snapshot', 'state', 'queue', 'title', 'link'])

/** 003 counts the messages that its last compaction preserved; Claude Code names them. */
function preservedIn(graph: SessionGraph, form: DialectForm): Map<SessionEvent, readonly string[]> {
  const preserved = new Map<SessionEvent, readonly string[]>()
  const border = graph.events.findLast(
    ({ kind, dialect, detail }) => kind === 'compaction' && dialect === 's3' && detail?.['phase'] === 'done',
  )
  if (border === undefined || form.envelope !== 'client') return preserved
  const places = new Map(graph.events.map((event, place) => [event.id as string, place]))
  const sent = contextOfEvents(graph.session, graph.events).messages.flatMap(({ events }) => events)
  const limit = places.get(border.id) ?? 0
  return preserved.set(
    border,
    sent.filter(id => (places.get(id) ?? limit) < limit),
  )
}

/** 002 has one usage for all lines of a message: that of the last one. */
function sharedUsage(graph: SessionGraph, form: DialectForm): Map<string, SessionEvent> {
  const last = new Map<string, SessionEvent>()
  if (!form.sharesUsage) return last
  for (const event of graph.events) if (event.message?.usage !== undefined) last.set(event.message.id, event)
  return last
}

/** 000 begins a compaction with what it preserves; others with a mark, which follows nothing. */
function borderBefore(group: readonly SessionEvent[], event: NewEvent, { newId }: ConvertOptions): NewEvent | null {
  if (group[0]?.dialect !== 's0' || event.kind !== 'preserved' || event.parent !== null) return null
  const { at, agent, raw } = event
  return {
    kind: 'compaction',
    wireType: 'system',
    id: newId(),
    detail: asObject(raw?.['compactMetadata']) ?? {},
    ...(at !== undefined && { at }),
    ...(agent !== undefined && { agent }),
  }
}

/** What events are written with that is not in them. */
interface Surroundings {
  agents: ReadonlyMap<ThreadId, string>
  preserved: ReadonlyMap<SessionEvent, readonly string[]>
  usage: ReadonlyMap<string, SessionEvent>
}

/** The group as one event to write. */
function joined(group: readonly SessionEvent[], { agents, preserved, usage }: Surroundings): NewEvent {
  const [first, ...more] = group as [SessionEvent, ...SessionEvent[]]
  const event = toNewEvent(first, false)
  const agent = agents.get(first.thread)
  if (agent !== undefined) event.agent = agent
  const uuids = preserved.get(first)
  if (uuids !== undefined) event.detail = { ...event.detail, preserved: { uuids } }
  const last = usage.get(first.message?.id ?? '')
  if (last !== undefined && last !== first) Object.assign(event, withUsageOf(event, last))
  if (more.length === 0) return event
  const { raw: _raw, ...rest } = event
  return { ...rest, blocks: group.flatMap(one => toNewEvent(one, false).blocks ?? []) }
}

function withUsageOf({ message, raw }: NewEvent, { message: last, record }: SessionEvent): Partial<NewEvent> {
  const usage = asObject(asObject(record.value?.['message'])?.['usage'])
  return {
    ...(last?.usage !== undefined && { message: { ...message, usage: last.usage } }),
    ...(raw !== undefined && { raw: { ...raw, message: { ...asObject(raw['message']), usage } } }),
  }
}

/** What the file needs besides its events: titles first, or where a resume continues. */
function finish(written: Map<string, WrittenRecord[]>, encoder: Encoder, graph: SessionGraph, form: DialectForm): void {
  const main = fileOf(written, { value: {} })
  if (form.hasTitlesFirst) {
    const titles = main.filter(({ value }) => value['type'] === 'summary')
    const rest = main.filter(({ value }) => value['type'] !== 'summary')
    const title = titles.at(-1)
    const leaf = rest.findLast(({ id }) => id !== undefined)?.id
    if (title !== undefined && leaf !== undefined) title.value = { ...title.value, leafUuid: leaf }
    main.splice(0, main.length, ...(title === undefined || leaf === undefined ? [] : [title]), ...rest)
    return
  }
  if (graph.events.some(({ wireType, dialect }) => wireType === 'last-prompt' || dialect === 'client')) return
  const { leaf } = contextOfEvents(graph.session, graph.events)
  const record = leaf === null ? undefined : encoder.recordsOf(leaf).at(-1)
  const last = encoder.lastPrompt()
  if (last === null) return
  main.push(record === undefined ? last : { value: { ...last.value, leafUuid: record } })
}

function withMeta(
  file: Omit<WrittenAgent, 'thread'>,
  graph: SessionGraph,
  agents: ReadonlyMap<ThreadId, string>,
): WrittenAgent {
  const thread = graph.threads.find(({ id }) => agents.get(id) === file.agent)
  if (thread === undefined) return { ...file, thread: threadId(file.agent) }
  const { id, agentType, description, call } = thread
  const meta: AgentMeta = {
    ...(agentType !== undefined && { agentType }),
    ...(description !== undefined && { description }),
    ...(call !== undefined && { toolUseId: call }),
  }
  return { ...file, thread: id, ...(Object.keys(meta).length > 0 && { meta }) }
}

/** Reads what was written, and puts next to each group what became of it. */
function readAgain(
  { session, lines, agents }: WrittenSession,
  groups: readonly (readonly SessionEvent[])[],
  records: readonly (readonly WrittenRecord[])[],
  written: ReadonlyMap<string, readonly WrittenRecord[]>,
): WrittenGroup[] {
  const events = new Map<WrittenRecord, SessionEvent>()
  for (const [agent, text] of [['', lines] as const, ...agents.map(one => [one.agent, one.lines] as const)]) {
    const options = agent === '' ? { session, data: true } : { session, role: 'agent' as const, agent, data: true }
    const bytes = textToBytes(text.map(line => `${line}\n`).join(''))
    // Every line is one record, and every record has one event of its own.
    const own = decodeText(bytes, options).events.filter(event => !hasFlag(event, 'embedded'))
    for (const [at, event] of own.entries()) {
      const record = written.get(agent)?.[at]
      if (record !== undefined) events.set(record, event)
    }
  }
  return groups.map((before, at) => ({ before, after: (records[at] ?? []).flatMap(one => events.get(one) ?? []) }))
}
