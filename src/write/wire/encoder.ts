// Events → records of one dialect, one after the other: it makes ids, links, times and the envelope, and refuses what would not
// be a session. It touches no file and no clock of its own.

import { toInstant, toMillis } from '../../base/instant.ts'
import { asArray, asObject, asString, type JsonObject } from '../../base/json.ts'
import { isBeside, isChainEvent, type MessageFacts, type SessionEvent } from '../../model/event.ts'
import { delegatingTools } from '../../model/session.ts'
import { callIdsIn, textOf } from './content.ts'
import { type DialectForm, dialectForms, type WireDialect } from './dialects.ts'
import type { WireDraft } from './draft.ts'
import { WriteError } from './error.ts'
import { checkInput, type NewEvent } from './new-event.ts'

export interface EncoderOptions {
  session: string
  /** A new UUID. */
  newId(): string
  /** Milliseconds since 1970, for events without a time. */
  now(): number
  version?: string
  cwd?: string
  gitBranch?: string
  /** How programs say that they wrote it; only `real` has it. */
  entrypoint?: string
  /** False for events that were read: what is odd about them is written as it is. */
  isStrict?: boolean
}

/** A record with its place. */
export interface WrittenRecord {
  value: JsonObject
  /** Its id; absent outside of the chain. */
  id?: string
  /** The subagent whose file it goes to; absent: the session's own file. */
  agent?: string
}

/** What a chain of records ends with. */
interface ChainEnd {
  id: string
  at: number
}

/** A call that has no result yet. */
interface OpenCall {
  /** The record that makes it. */
  record: string
  thread: string
}

const main = ''
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Makes the records of one session. Give it the events in the order in which they are to be written. */
export class Encoder {
  readonly form: DialectForm
  private readonly options: EncoderOptions
  /** Source id → the records that were made of it, in order; none for what could not be said. */
  private readonly made = new Map<string, string[]>()
  /** Of what could not be said: what it followed. */
  private readonly above = new Map<string, string | null>()
  private readonly ends = new Map<string, ChainEnd>()
  private readonly openCalls = new Map<string, OpenCall>()
  /** Every call → the record that makes it. */
  private readonly calls = new Map<string, string>()
  /** Calls that may have started a subagent, the last one at the end. */
  private readonly delegations = new Map<string, OpenCall>()
  private readonly times = new Map<string, number>()
  private answer: { parent: string; message: Partial<MessageFacts> } | null = null
  private prompt: string | undefined
  private version: string
  private cwd: string | undefined
  private gitBranch: string | undefined

  constructor(dialect: WireDialect, options: EncoderOptions) {
    this.form = dialectForms[dialect]
    this.options = options
    this.version = options.version ?? this.form.version
    this.cwd = options.cwd
    this.gitBranch = options.gitBranch
  }

  /** The records that an event became. */
  recordsOf(event: string): readonly string[] {
    return this.made.get(event) ?? (this.records.has(event) ? [event] : [])
  }

  /** The last record of a thread, the main one where none is named. */
  leafOf(thread = main): string | undefined {
    return this.ends.get(thread)?.id
  }

  /** Calls of a thread that have no result yet. */
  openOf(thread = main): string[] {
    return [...this.openCalls].filter(([, call]) => call.thread === thread).map(([id]) => id)
  }

  isKnown(event: string): boolean {
    return this.made.has(event) || this.records.has(event)
  }

  hasCall(call: string): boolean {
    return this.calls.has(call)
  }

  /** The record that made a call, while it has no result. */
  recordOfCall(call: string): string | undefined {
    return this.openCalls.get(call)?.record
  }

  /** Where the lines of a subagent among others begin. */
  startAgent(agent: string, call: string): void {
    const open = this.openCalls.get(call)
    if (open !== undefined) this.started.set(agent, open.record)
  }

  /**
   * Takes note of an event that another writer wrote, in the order of the file. `isEarlier`: it is before all that is known, so
   * that nothing follows it.
   */
  absorb(event: SessionEvent, { isEarlier = false } = {}): void {
    this.remember()
    const thread = (event.thread as string) === this.options.session ? main : event.thread
    const at = toMillis(event.at) ?? 0
    const id = isChainEvent(event) && !isBeside(event) ? event.stated.uuid : undefined
    if (id !== undefined) {
      this.records.set(id, { thread, at })
    }
    this.absorbCalls(event, id ?? event.id, thread)
    if (isEarlier) return
    if (id !== undefined) this.noteEnd(thread, { id, at })
    const file = this.fileOf(thread)
    this.times.set(file, Math.max(at, this.times.get(file) ?? 0))
    if (event.kind === 'prompt' && thread === main) this.prompt = textOf(event)
    if (event.kind === 'answer') this.answer = { parent: event.id, message: { ...event.message } }
    const { options } = this
    if (options.version === undefined && event.version !== undefined) this.version = event.version
    if (options.cwd === undefined && event.cwd !== undefined) this.cwd = event.cwd
    if (options.gitBranch === undefined && event.gitBranch !== undefined) this.gitBranch = event.gitBranch
  }

  private absorbCalls(event: SessionEvent, record: string, thread: string): void {
    // What was not answered before somebody went on will not be.
    if (event.kind === 'prompt' || event.kind === 'compaction') this.dropCalls(thread)
    for (const block of event.blocks) {
      if (block.type === 'tool-call') {
        this.calls.set(block.callId, record)
        if (this.answered.has(block.callId)) continue
        this.openCalls.set(block.callId, { record, thread })
        if (delegatingTools.has(block.name)) this.delegations.set(block.callId, { record, thread })
      } else if (block.type === 'tool-result') {
        if (!this.calls.has(block.callId)) this.answered.add(block.callId)
        this.openCalls.delete(block.callId)
        this.delegations.delete(block.callId)
      }
    }
  }

  private dropCalls(thread: string): void {
    for (const [id, call] of this.openCalls) if (call.thread === thread) this.drop(this.openCalls, id)
    for (const [id, call] of this.delegations) if (call.thread === thread) this.drop(this.delegations, id)
  }

  /** Forgets the last events that were encoded: they could not be written. */
  rollback(): void {
    const { maps, keys, values } = this.undo
    for (let map = maps.pop(); map !== undefined; map = maps.pop()) {
      const [key, value] = [keys.pop() as string, values.pop()]
      if (value === undefined) map.delete(key)
      else map.set(key, value)
    }
    Object.assign(this, this.scalars)
  }

  private put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    this.noteUndo(map, key)
    map.set(key, value)
  }

  private drop<Value>(map: Map<string, Value>, key: string): void {
    if (!map.has(key)) return
    this.noteUndo(map, key)
    map.delete(key)
  }

  private noteUndo<Value>(map: Map<string, Value>, key: string): void {
    this.undo.maps.push(map as Map<string, unknown>)
    this.undo.keys.push(key)
    this.undo.values.push(map.get(key))
  }

  /** From here on everything can be undone. */
  private remember(): void {
    const { answer, prompt, version, cwd, gitBranch, undo } = this
    undo.maps.length = undo.keys.length = undo.values.length = 0
    this.scalars = { answer, prompt, version, cwd, gitBranch }
  }

  /** The records of an event, none where the dialect cannot say it. Throws before anything is changed. */
  encode(event: NewEvent): WrittenRecord[] {
    return this.encodeAll([event])[0] ?? []
  }

  /** The same for events that are written together: where one of them cannot be, none is known afterwards. */
  encodeAll(events: readonly NewEvent[]): WrittenRecord[][] {
    this.remember()
    try {
      return events.map(event => this.encodeNext(event))
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  private encodeNext(given: NewEvent): WrittenRecord[] {
    const isStrict = this.options.isStrict !== false
    if (isStrict) this.check(given)
    const event = isStrict ? this.withMessage(given) : given
    this.carryForward(event)
    if (isStrict) this.leaveBranch(event)
    // A log that grows cannot begin with what names its end.
    const isLate = isStrict && this.form.hasTitlesFirst && event.kind === 'title'
    const thread = event.agent ?? main
    let parent = this.parentOf(event, thread)
    const drafts = isLate || this.isTakenForResult(event, parent, thread) ? [] : this.form.drafts(event)
    if (drafts.length === 0 && event.id !== undefined) this.put(this.above, event.id, parent)
    const records: WrittenRecord[] = []
    const ids: string[] = []
    for (const [at, draft] of drafts.entries()) {
      const record = this.place(draft, event, this.callAnswered(event, at) ?? parent, at)
      records.push(record)
      if (record.id === undefined) continue
      ids.push(record.id)
      parent = record.id
    }
    if (ids.length > 0) this.noteMade(event, ids)
    this.noteCalls(event, records, thread)
    if (event.kind === 'prompt' && thread === main) this.prompt = textOf(event)
    return records
  }

  /** What Claude Code writes behind a turn: where a resume continues. Null where the dialect has no such record. */
  lastPrompt(): WrittenRecord | null {
    const leaf = this.leafOf()
    if (this.form.name !== 'real' || leaf === undefined) return null
    const text = (this.prompt ?? '').replace(/\s+/g, ' ').trim()
    const lastPrompt = text.length > 200 ? `${text.slice(0, 200).trimEnd()}…` : text
    return { value: { type: 'last-prompt', lastPrompt, leafUuid: leaf, sessionId: this.options.session } }
  }

  private check(event: NewEvent): void {
    checkInput(event)
    const { kind, parent } = event
    if (typeof parent === 'string' && !this.isKnown(parent))
      throw new WriteError('unknown-parent', `The session has no event ${parent}.`, 'parent')
    if (event.id !== undefined && this.isKnown(event.id))
      throw new WriteError('bad-input', `The session has an event ${event.id} already.`, 'id')
    for (const [at, block] of (event.blocks ?? []).entries()) {
      const path = `blocks[${at}]`
      if (block.type === 'tool-call') this.checkCall(block.callId, kind, path)
      if (block.type === 'tool-result') this.checkResult(block.callId, kind, path)
      if ((block.type === 'image' || block.type === 'document') && !block.data)
        throw new WriteError('bad-input', `The ${block.type} has no data.`, `${path}.data`)
      if (block.type === 'thinking' && kind !== 'answer')
        throw new WriteError('role-order', 'Only answers think.', path)
    }
    this.checkOrder(event)
  }

  private checkCall(call: string, kind: NewEvent['kind'], path: string): void {
    if (kind !== 'answer') throw new WriteError('role-order', 'Only answers call tools.', path)
    if (this.calls.has(call)) throw new WriteError('bad-input', `There is a call ${call} already.`, path)
  }

  private checkResult(call: string, kind: NewEvent['kind'], path: string): void {
    if (kind !== 'tool-results') throw new WriteError('role-order', 'Results are events of their own.', path)
    if (!this.calls.has(call)) throw new WriteError('no-call', `No call ${call} was made.`, path)
    if (!this.openCalls.has(call)) throw new WriteError('no-call', `The call ${call} has a result already.`, path)
  }

  private checkOrder({ kind, parent, message, agent = main }: NewEvent): void {
    const [open] = this.openOf(agent)
    if (kind === 'answer' && parent === undefined && this.leafOf(agent) === undefined)
      throw new WriteError('role-order', 'An answer needs a prompt before it.', 'kind')
    if ((kind === 'prompt' || kind === 'delegation') && parent === undefined && open !== undefined)
      throw new WriteError('role-order', `The call ${open} has no result yet.`, 'kind')
    if (kind === 'answer' && parent === undefined && open !== undefined && !this.isSameMessage(message, agent))
      throw new WriteError('role-order', `The call ${open} has no result yet.`, 'kind')
  }

  private isSameMessage(message: NewEvent['message'], agent: string): boolean {
    return message?.id === undefined ? this.isLineOfAnswer(agent) : message.id === this.answer?.message.id
  }

  /** Whether an answer would follow an answer: then it may be another line of it. */
  private isLineOfAnswer(agent: string): boolean {
    return this.answer !== null && this.answer.parent === this.leafOf(agent)
  }

  /** An answer that says nothing of its message is another line of the one that it follows, or a message of its own. */
  private withMessage(event: NewEvent): NewEvent {
    if (event.kind !== 'answer' && event.kind !== 'api-error') return event
    const { agent = main, parent, message } = event
    if (message?.id) return event
    const isLine = message === undefined && (parent === undefined || parent === this.leafOf(agent))
    if (isLine && event.kind === 'answer' && this.answer !== null && this.isLineOfAnswer(agent))
      return { ...event, message: this.answer.message }
    return { ...event, message: { ...message, id: `msg_${this.options.newId().replaceAll('-', '')}` } }
  }

  /** A prompt elsewhere leaves open what was called on the branch before. */
  private leaveBranch({ kind, parent, agent = main }: NewEvent): void {
    const isElsewhere =
      parent !== undefined && (parent === null || this.recordsOf(parent).at(-1) !== this.leafOf(agent))
    if (kind === 'compaction' || (kind === 'prompt' && isElsewhere)) this.dropCalls(agent)
  }

  /** An event is known by the name that it was given, and by its records. */
  private noteMade({ id }: NewEvent, ids: readonly string[]): void {
    if (id !== undefined) this.put(this.made, id, [...ids])
    if (this.options.isStrict !== false)
      for (const record of ids) if (record !== id) this.put(this.made, record, [record])
  }

  /** 003 knows by its parent what a result answers; each is a record of its own. */
  private callAnswered(event: NewEvent, at: number): string | undefined {
    if (this.form.envelope !== 's3' || event.kind !== 'tool-results') return undefined
    const call = callIdsIn(event, 'tool-result')[at]
    return call === undefined ? undefined : this.openCalls.get(call)?.record
  }

  /** 003 takes a notice behind a call, or behind the result of another, for its result; and so a result that is before its call. */
  private isTakenForResult(event: NewEvent, parent: string | null, thread: string): boolean {
    if (this.form.envelope !== 's3' || (event.kind !== 'notice' && event.kind !== 'tool-results')) return false
    const open = [...this.openCalls.values()].filter(call => call.thread === thread)
    if (open.length === 0) return false
    if (event.kind === 'tool-results') return callIdsIn(event, 'tool-result').every(call => !this.openCalls.has(call))
    return parent === null || this.results.has(parent) || open.some(({ record }) => record === parent)
  }

  private carryForward({ version, cwd, gitBranch }: NewEvent): void {
    if (version !== undefined) this.version = version
    if (cwd !== undefined) this.cwd = cwd
    if (gitBranch !== undefined) this.gitBranch = gitBranch
  }

  private parentOf(event: NewEvent, thread: string): string | null {
    const end = this.ends.get(thread)?.id ?? null
    if (event.kind === 'compaction' && this.form.envelope !== 's3' && event.detail?.['phase'] !== 'micro') return null
    if (this.form.isOneChain && event.kind !== 'tool-results') return this.ends.get(this.fileOf(thread))?.id ?? null
    if (event.parent === null) return this.isInline(thread) ? (end ?? this.callOf(thread)) : null
    if (event.parent !== undefined && !this.form.isOneChain) return this.writtenParent(event.parent, thread)
    const call = callIdsIn(event, 'tool-result').at(this.form.isOneChain ? -1 : 0)
    if (call !== undefined) return this.openCalls.get(call)?.record ?? end
    return end ?? (this.isInline(thread) ? this.callOf(thread) : null)
  }

  /** Lines of a subagent among those of others hang on each other, the first one on the call that started it: nothing else names it. */
  private isInline(thread: string): boolean {
    return thread !== main && !this.form.hasAgentFiles
  }

  private callOf(thread: string): string | null {
    return this.started.get(thread) ?? [...this.delegations.values()].at(-1)?.record ?? this.leafOf() ?? null
  }

  private writtenParent(parent: string, thread: string): string | null {
    const seen = new Set<string>()
    let at: string | null = parent
    while (at !== null && !seen.has(at)) {
      seen.add(at)
      const record = this.recordsOf(at).at(-1)
      if (record !== undefined) return this.isReachable(record, thread) ? record : (this.ends.get(thread)?.id ?? null)
      if (!this.above.has(at)) break
      at = this.above.get(at) ?? null
      // What could not be said names a record, not an event.
      if (at !== null) return at
    }
    const end = this.ends.get(thread)?.id ?? null
    if (this.isInline(thread)) return end ?? this.callOf(thread)
    if (at === null) return null
    const isNamable = this.form.allowsOrphans && (!this.form.hasUuids || uuidForm.test(parent))
    return isNamable ? parent : end
  }

  /** Whether a record is in the file that a thread is written to. */
  private isReachable(record: string, thread: string): boolean {
    const other = this.records.get(record)?.thread
    return !this.form.hasAgentFiles || other === undefined || other === thread
  }

  /** Which end a line of a thread follows where all lines are one chain: each file has one. */
  private fileOf(thread: string): string {
    return this.form.hasAgentFiles ? thread : main
  }

  private place(draft: WireDraft, event: NewEvent, parent: string | null, at: number): WrittenRecord {
    const thread = event.agent ?? main
    const agent = event.agent !== undefined && this.form.hasAgentFiles ? { agent: event.agent } : {}
    if (!draft.isChain) return { value: this.sideRecord(draft, event), ...agent }
    const id = this.idFor(event, at)
    const time = this.timeOf(event, parent, thread)
    const logical = this.logicalParent(event)
    this.put(this.records, id, { thread, at: time })
    this.noteEnd(thread, { id, at: time })
    const messageId = draft.type === 'assistant' ? this.messageId(event, parent, id) : undefined
    const place: RecordPlace = { id, parent, time, event, messageId, logical }
    return { value: this.envelope(draft, place), id, ...agent }
  }

  private noteEnd(thread: string, end: ChainEnd): void {
    this.put(this.ends, thread, end)
    if (this.form.isOneChain && this.fileOf(thread) !== thread) this.put(this.ends, this.fileOf(thread), end)
  }

  /** Its own where the dialect can have it, and it is not there yet. */
  private idFor({ id }: NewEvent, at: number): string {
    const isOwn = id !== undefined && at === 0 && !this.records.has(id) && this.isNamable(id)
    return isOwn ? id : this.options.newId()
  }

  private isNamable(id: string): boolean {
    return this.form.hasUuids ? uuidForm.test(id) : /^[\w.:-]+$/.test(id)
  }

  /** The thread and the time of every record of the chain. */
  private readonly records = new Map<string, { thread: string; at: number }>()
  /** Subagents among other lines → the record that started each. */
  private readonly started = new Map<string, string>()
  /** Records of results. */
  private readonly results = new Map<string, true>()
  /** Calls whose results were read before they were. */
  private readonly answered = new Set<string>()
  /** How to forget the last event. */
  private readonly undo: { maps: Map<string, unknown>[]; keys: string[]; values: unknown[] } = {
    maps: [],
    keys: [],
    values: [],
  }
  private scalars: object = {}

  private timeOf(event: NewEvent, parent: string | null, thread: string): number {
    const stated = toMillis(event.at ?? null)
    const file = this.fileOf(thread)
    const last = this.times.get(file)
    let time = stated ?? last ?? this.options.now()
    // Older versions of Claude Code go on from the newest record, and from the first of those of one time.
    if (event.at === undefined) time = Math.max(this.options.now(), (last ?? 0) + 1)
    if (this.form.isOrdered || event.at === undefined) time = Math.max(time, last ?? 0, this.parentTime(parent))
    this.put(this.times, file, Math.max(time, last ?? 0))
    return time
  }

  private parentTime(parent: string | null): number {
    if (parent === null) return 0
    return this.records.get(parent)?.at ?? 0
  }

  /** Lines of one answer share an id. */
  private messageId({ message }: NewEvent, parent: string | null, id: string): string {
    const before = this.answer?.parent === parent ? this.answer.message.id : undefined
    const chosen = message?.id || before || `msg_${id.replaceAll('-', '')}`
    this.answer = { parent: id, message: { ...message, id: chosen } }
    return chosen
  }

  private envelope(draft: WireDraft, place: RecordPlace): JsonObject {
    if (this.form.envelope === 's0') return this.envelopeOf000(draft, place)
    if (this.form.envelope === 's3') return this.envelopeOf003(draft, place)
    return draft.fields === place.event.raw ? this.wholeRecord(draft, place) : this.clientEnvelope(draft, place)
  }

  /** As it was read, but for what places it. */
  private wholeRecord({ fields }: WireDraft, { id, parent, event }: RecordPlace): JsonObject {
    const value: Record<string, unknown> = { ...fields }
    if ('parentUuid' in value || typeof event.parent === 'string') value['parentUuid'] = parent
    value['uuid'] = id
    if (event.parent === null && fields['parentUuid'] === undefined) delete value['parentUuid']
    if ('sessionId' in value) value['sessionId'] = this.options.session
    return value
  }

  private clientEnvelope({ type, fields }: WireDraft, place: RecordPlace): JsonObject {
    const { id, parent, time, event, messageId, logical } = place
    const isSide = event.agent !== undefined
    const source = event.kind === 'tool-results' ? this.sourceOf(event, parent) : undefined
    const message = asObject(fields['message'])
    return {
      parentUuid: parent,
      ...(logical !== undefined && { logicalParentUuid: logical }),
      isSidechain: isSide,
      ...(isSide && this.form.hasAgentFiles && { agentId: event.agent }),
      type,
      ...fields,
      ...this.metadataOf(fields, id),
      ...(messageId !== undefined && { message: { ...message, id: messageId } }),
      ...(messageId !== undefined && this.requestOf(fields, messageId)),
      uuid: id,
      timestamp: toInstant(time),
      ...(source !== undefined && { sourceToolAssistantUUID: source }),
      userType: 'external',
      ...(this.form.name === 'real' && { entrypoint: this.options.entrypoint ?? 'cli' }),
      cwd: this.cwd ?? '/',
      sessionId: this.options.session,
      version: this.version || this.form.version,
      ...(this.form.hasGitBranch && { gitBranch: this.gitBranch ?? '' }),
    }
  }

  /** 002 names one with every answer. */
  private requestOf({ requestId }: WireDraft['fields'], messageId: string): Record<string, unknown> {
    if (!this.form.needsRequest || (typeof requestId === 'string' && requestId.startsWith('req_'))) return {}
    return { requestId: `req_${messageId.replace(/^msg_/, '')}` }
  }

  /** What a compaction preserved, by the records that it became; behind the summary, or the boundary itself. */
  private metadataOf({ compactMetadata }: WireDraft['fields'], id: string): Record<string, unknown> {
    const metadata = asObject(compactMetadata)
    const messages = asObject(metadata?.['preservedMessages'])
    const segment = asObject(metadata?.['preservedSegment'])
    if (messages === undefined && segment === undefined) return {}
    const named = asArray(messages?.['uuids']).flatMap(uuid => [...this.recordsOf(String(uuid))])
    const [head, tail] = [named[0], named.at(-1)]
    const anchorUuid = this.anchorNamed(messages?.['anchorUuid'] ?? segment?.['anchorUuid']) ?? id
    if (head === undefined || tail === undefined) {
      const { preservedMessages: _messages, preservedSegment: _segment, ...rest } = metadata ?? {}
      return { compactMetadata: rest }
    }
    const preservedSegment = { headUuid: head, anchorUuid, tailUuid: tail }
    const all = asArray(messages?.['allUuids']).flatMap(uuid => [...this.recordsOf(String(uuid))])
    const preservedMessages = { anchorUuid, uuids: named, allUuids: all.length > 0 ? all : named }
    return { compactMetadata: { ...metadata, preservedSegment, preservedMessages } }
  }

  /** The summary is written behind the boundary that names it. */
  private anchorNamed(event: unknown): string | undefined {
    const isToCome = this.options.isStrict !== false && typeof event === 'string' && uuidForm.test(event)
    return this.recordNamed(event) ?? (isToCome ? event : undefined)
  }

  private recordNamed(event: unknown): string | undefined {
    return typeof event === 'string' ? this.recordsOf(event).at(-1) : undefined
  }

  private logicalParent(event: NewEvent): string | undefined {
    if (event.kind !== 'compaction' || event.detail?.['phase'] === 'micro') return undefined
    const named = event.logicalParent === undefined ? undefined : this.recordsOf(event.logicalParent).at(-1)
    return named ?? this.ends.get(event.agent ?? main)?.id
  }

  /** The record that made the call; 002 names the one that it follows. */
  private sourceOf(event: NewEvent, parent: string | null): string | undefined {
    if (this.form.name !== 'real' && this.form.name !== 's2') return undefined
    const [call] = callIdsIn(event, 'tool-result')
    const record = call === undefined ? undefined : this.openCalls.get(call)?.record
    return this.form.isOneChain ? (parent ?? undefined) : (record ?? undefined)
  }

  private envelopeOf000({ type, fields }: WireDraft, { id, parent, time, event }: RecordPlace): JsonObject {
    const isSide = event.agent !== undefined
    return {
      uuid: id,
      parentUuid: parent,
      sessionId: this.options.session,
      type,
      timestamp: time,
      // Versions before 1 are those of other programs with such lines.
      version: /^(0\.|$)/.test(this.version) ? this.form.version : this.version,
      ...(isSide && { isSidechain: true, ...(type === 'human' && { userType: 'external' }) }),
      ...fields,
    }
  }

  private envelopeOf003({ type, fields }: WireDraft, { id, parent, time, event }: RecordPlace): JsonObject {
    const logical = event.logicalParent === undefined ? undefined : this.recordsOf(event.logicalParent).at(-1)
    return {
      type,
      uuid: id,
      ...(parent !== null && { parentUuid: parent }),
      ...(logical !== undefined && { logicalParentUuid: logical }),
      timestamp: toInstant(time),
      sessionId: this.options.session,
      ...(event.agent !== undefined && { isSidechain: true }),
      ...fields,
    }
  }

  private sideRecord({ type, fields }: WireDraft, event: NewEvent): JsonObject {
    const whole = fields === event.raw
    const value: Record<string, unknown> = whole ? { ...fields } : { type, ...fields }
    for (const field of ['leafUuid', 'messageId'] as const) {
      const named = asString(value[field])
      const record = named === undefined ? undefined : this.recordsOf(named).at(-1)
      if (record !== undefined) value[field] = record
    }
    if (!whole && timedTypes.has(type) && value['timestamp'] === undefined)
      value['timestamp'] = toInstant(this.timeOf(event, null, event.agent ?? main))
    const files = asObject(value['snapshot'])
    if (!whole && files !== undefined && files['timestamp'] === undefined)
      value['snapshot'] = { ...files, timestamp: toInstant(this.timeOf(event, null, event.agent ?? main)) }
    if (!whole && !unnamedTypes.has(type)) value['sessionId'] = this.options.session
    else if ('sessionId' in value) value['sessionId'] = this.options.session
    return this.form.hasWholeEnvelopes ? this.withEnvelope(value, event) : value
  }

  /** 001 has the same fields on every line; what is not a link of the chain has no id. */
  private withEnvelope(value: JsonObject, event: NewEvent): JsonObject {
    return {
      parentUuid: null,
      isSidechain: event.agent !== undefined,
      userType: 'external',
      cwd: this.cwd ?? '/',
      version: this.version || this.form.version,
      gitBranch: this.gitBranch ?? '',
      uuid: null,
      timestamp: toInstant(this.timeOf(event, null, event.agent ?? main)),
      ...(event.agent !== undefined && { agentId: event.agent }),
      ...value,
      sessionId: this.options.session,
    }
  }

  private noteCalls({ blocks = [] }: NewEvent, records: readonly WrittenRecord[], thread: string): void {
    const nameless = records.filter(({ value }) => value['toolName'] !== undefined)
    for (const block of blocks) {
      if (block.type === 'tool-call') {
        // What could not be said cannot be answered.
        const record = (nameless.length > 0 ? nameless.shift() : records.find(one => makesCall(one, block.callId)))?.id
        if (record === undefined) continue
        this.put(this.calls, block.callId, record)
        this.put(this.openCalls, block.callId, { record, thread })
        if (delegatingTools.has(block.name)) this.put(this.delegations, block.callId, { record, thread })
      } else if (block.type === 'tool-result') {
        this.drop(this.openCalls, block.callId)
        this.drop(this.delegations, block.callId)
        for (const { id } of records) if (id !== undefined) this.put(this.results, id, true)
      }
    }
  }
}

function makesCall({ value }: WrittenRecord, call: string): boolean {
  return asArray(asObject(value['message'])?.['content']).some(block => asObject(block)?.['id'] === call)
}

interface RecordPlace {
  id: string
  parent: string | null
  time: number
  event: NewEvent
  /** Of an answer. */
  messageId: string | undefined
  /** Of a compaction. */
  logical: string | undefined
}

/** Records outside of the chain that say when they were written. */
const timedTypes: ReadonlySet<string> = new Set(['queue-operation'])
/** Those that do not name their session. */
const unnamedTypes: ReadonlySet<string> = new Set(['summary', 'file-history-snapshot'])
