// Events → records of one dialect, one after the other: it makes ids, links, times and the envelope, and refuses what would not
// be a session. It touches no file and no clock of its own.

import { toInstant, toMillis } from '../../base/instant.ts'
import { asArray, asObject, asString, type JsonObject } from '../../base/json.ts'
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

/** What is known of a session that another writer began. */
export interface EncoderStart {
  last?: { id: string; at: number }
  /** Time of the last record of any kind. */
  at?: number
  openCalls: readonly { id: string; record: string; isDelegation: boolean }[]
  lastPrompt?: string
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
  private readonly calls = new Set<string>()
  /** Calls that may have started a subagent, the last one at the end. */
  private readonly delegations = new Map<string, OpenCall>()
  private readonly times = new Map<string, number>()
  private answer: { parent: string; id: string } | null = null
  private prompt: string | undefined
  private version: string
  private cwd: string | undefined
  private gitBranch: string | undefined

  constructor(dialect: WireDialect, options: EncoderOptions, start?: EncoderStart) {
    this.form = dialectForms[dialect]
    this.options = options
    this.version = options.version ?? this.form.version
    this.cwd = options.cwd
    this.gitBranch = options.gitBranch
    if (start === undefined) return
    if (start.last !== undefined) this.ends.set(main, start.last)
    if (start.last !== undefined) this.made.set(start.last.id, [start.last.id])
    if (start.at !== undefined) this.times.set(main, start.at)
    this.prompt = start.lastPrompt
    for (const { id, record, isDelegation } of start.openCalls) {
      this.calls.add(id)
      this.openCalls.set(id, { record, thread: main })
      if (isDelegation) this.delegations.set(id, { record, thread: main })
    }
  }

  /** The records that an event became. */
  recordsOf(event: string): readonly string[] {
    return this.made.get(event) ?? []
  }

  /** The last record of the main thread. */
  get leaf(): string | undefined {
    return this.ends.get(main)?.id
  }

  /** Calls of the main thread that have no result yet. */
  get open(): string[] {
    return [...this.openCalls].filter(([, { thread }]) => thread === main).map(([id]) => id)
  }

  /** Continues after an event that is there, with a new branch. */
  branchFrom(event: string, at?: number): void {
    const record = this.made.get(event)?.at(-1) ?? event
    this.made.set(event, [record])
    this.ends.set(main, { id: record, at: at ?? this.ends.get(main)?.at ?? 0 })
    this.openCalls.clear()
  }

  /** Takes note of records that are in the session, so that they can be named as parents or answered. */
  know(id: string, calls: readonly string[] = []): void {
    this.made.set(id, [id])
    for (const call of calls) {
      this.calls.add(call)
      this.openCalls.set(call, { record: id, thread: main })
    }
  }

  isKnown(event: string): boolean {
    return this.made.has(event)
  }

  hasCall(call: string): boolean {
    return this.calls.has(call)
  }

  /** The records of an event, none where the dialect cannot say it. Throws before anything is changed. */
  encode(event: NewEvent): WrittenRecord[] {
    if (this.options.isStrict !== false) this.check(event)
    this.carryForward(event)
    const drafts = this.form.drafts(event)
    const thread = event.agent ?? main
    let parent = this.parentOf(event, thread)
    if (drafts.length === 0 && event.id !== undefined) this.above.set(event.id, parent)
    const records: WrittenRecord[] = []
    const ids: string[] = []
    for (const [at, draft] of drafts.entries()) {
      const record = this.place(draft, event, parent, at)
      records.push(record)
      if (record.id === undefined) continue
      ids.push(record.id)
      parent = record.id
    }
    if (event.id !== undefined && ids.length > 0) this.made.set(event.id, ids)
    this.noteCalls(event, ids, thread)
    if (event.kind === 'prompt' && thread === main) this.prompt = textOf(event)
    return records
  }

  /** What Claude Code writes behind a turn: where a resume continues. Null where the dialect has no such record. */
  lastPrompt(): WrittenRecord | null {
    const leaf = this.leaf
    if (this.form.name !== 'real' || leaf === undefined) return null
    const text = (this.prompt ?? '').replace(/\s+/g, ' ').trim()
    const lastPrompt = text.length > 200 ? `${text.slice(0, 200).trimEnd()}…` : text
    return { value: { type: 'last-prompt', lastPrompt, leafUuid: leaf, sessionId: this.options.session } }
  }

  private check(event: NewEvent): void {
    checkInput(event)
    const { kind, parent } = event
    if (typeof parent === 'string' && !this.made.has(parent))
      throw new WriteError('unknown-parent', `The session has no event ${parent}.`, 'parent')
    if (event.id !== undefined && this.made.has(event.id))
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
    if (event.agent === undefined) this.checkOrder(event)
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

  private checkOrder({ kind, parent }: NewEvent): void {
    if (kind === 'answer' && parent === undefined && this.leaf === undefined)
      throw new WriteError('role-order', 'An answer needs a prompt before it.', 'kind')
    if ((kind === 'prompt' || kind === 'answer') && parent === undefined && this.open.length > 0)
      throw new WriteError('role-order', `The call ${this.open[0]} has no result yet.`, 'kind')
    if (kind === 'tool-results' && this.form.joinsResults) return
  }

  private carryForward({ version, cwd, gitBranch }: NewEvent): void {
    if (version !== undefined) this.version = version
    if (cwd !== undefined) this.cwd = cwd
    if (gitBranch !== undefined) this.gitBranch = gitBranch
  }

  private parentOf(event: NewEvent, thread: string): string | null {
    const end = this.ends.get(thread)?.id ?? null
    if (event.kind === 'compaction' && this.form.envelope === 'client' && event.detail?.['phase'] !== 'micro')
      return null
    if (this.form.isOneChain) return this.ends.get(this.fileOf(thread))?.id ?? null
    if (event.parent === null) return this.isInlineStart(thread, end) ? this.callOf(thread) : null
    if (event.parent !== undefined) return this.writtenParent(event.parent, thread)
    const [call] = callIdsIn(event, 'tool-result')
    if (call !== undefined) return this.openCalls.get(call)?.record ?? end
    return end ?? (this.isInlineStart(thread, end) ? this.callOf(thread) : null)
  }

  /** The first line of a subagent among the lines of others hangs on the call that started it. */
  private isInlineStart(thread: string, end: string | null): boolean {
    return thread !== main && end === null && !this.form.hasAgentFiles
  }

  private callOf(_thread: string): string | null {
    return [...this.delegations.values()].at(-1)?.record ?? this.leaf ?? null
  }

  private writtenParent(parent: string, thread: string): string | null {
    const seen = new Set<string>()
    let at: string | null = parent
    while (at !== null && !seen.has(at)) {
      seen.add(at)
      const record = this.made.get(at)?.at(-1)
      if (record !== undefined) return this.isReachable(record, thread) ? record : (this.ends.get(thread)?.id ?? null)
      if (!this.above.has(at)) break
      at = this.above.get(at) ?? null
      // What could not be said names a record, not an event.
      if (at !== null) return at
    }
    if (at === null) return null
    const isNamable = this.form.allowsOrphans && (!this.form.hasUuids || uuidForm.test(parent))
    return isNamable ? parent : (this.ends.get(thread)?.id ?? null)
  }

  /** Whether a record is in the file that a thread is written to. */
  private isReachable(record: string, thread: string): boolean {
    const other = this.threads.get(record)
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
    this.threads.set(id, thread)
    this.ends.set(thread, { id, at: time })
    if (this.form.isOneChain) this.ends.set(this.fileOf(thread), { id, at: time })
    const messageId = draft.type === 'assistant' ? this.messageId(event, parent, id) : undefined
    const place: RecordPlace = { id, parent, time, event, messageId }
    return { value: this.envelope(draft, place), id, ...agent }
  }

  /** Its own where the dialect can have it, and it is not there yet. */
  private idFor({ id, kind }: NewEvent, at: number): string {
    if (id === undefined || at > 0 || this.usedIds.has(id)) return this.noteId(this.freshId(kind))
    if (this.form.hasUuids ? !uuidForm.test(id) : !/^[\w.:-]+$/.test(id)) return this.noteId(this.freshId(kind))
    return this.noteId(id)
  }

  private readonly usedIds = new Set<string>()
  /** The thread of every record. */
  private readonly threads = new Map<string, string>()

  private noteId(id: string): string {
    this.usedIds.add(id)
    return id
  }

  private freshId(_kind: NewEvent['kind']): string {
    return this.options.newId()
  }

  private timeOf(event: NewEvent, parent: string | null, thread: string): number {
    const stated = toMillis(event.at ?? null)
    const file = this.fileOf(thread)
    const last = this.times.get(file)
    let time = stated ?? last ?? this.options.now()
    if (event.at === undefined) time = Math.max(this.options.now(), last ?? 0)
    if (this.form.isOrdered || event.at === undefined) time = Math.max(time, last ?? 0, this.parentTime(parent))
    this.times.set(file, Math.max(time, last ?? 0))
    if (parent !== null) this.recordTimes.set(parent, this.parentTime(parent))
    return time
  }

  private readonly recordTimes = new Map<string, number>()

  private parentTime(parent: string | null): number {
    if (parent === null) return 0
    for (const { id, at } of this.ends.values()) if (id === parent) return at
    return this.recordTimes.get(parent) ?? 0
  }

  /** Lines of one answer share an id. */
  private messageId({ message }: NewEvent, parent: string | null, id: string): string {
    const own = message?.id
    const isLine = this.answer !== null && this.answer.parent === parent
    const chosen = own || (isLine && this.answer !== null ? this.answer.id : `msg_${id.replaceAll('-', '')}`)
    this.answer = { parent: id, id: chosen }
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

  private clientEnvelope({ type, fields }: WireDraft, { id, parent, time, event, messageId }: RecordPlace): JsonObject {
    const isSide = event.agent !== undefined
    const logical = this.logicalParent(event)
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

  /** What a compaction preserved, by the records that it became; behind the summary, or the boundary itself. */
  private metadataOf({ compactMetadata }: WireDraft['fields'], id: string): Record<string, unknown> {
    const metadata = asObject(compactMetadata)
    const messages = asObject(metadata?.['preservedMessages'])
    const segment = asObject(metadata?.['preservedSegment'])
    if (messages === undefined && segment === undefined) return {}
    const named = asArray(messages?.['uuids']).flatMap(uuid => this.made.get(String(uuid)) ?? [])
    const [head, tail] = [named[0], named.at(-1)]
    const anchorUuid = this.recordNamed(messages?.['anchorUuid'] ?? segment?.['anchorUuid']) ?? id
    if (head === undefined || tail === undefined) {
      const { preservedMessages: _messages, preservedSegment: _segment, ...rest } = metadata ?? {}
      return { compactMetadata: rest }
    }
    const preservedSegment = { headUuid: head, anchorUuid, tailUuid: tail }
    const all = asArray(messages?.['allUuids']).flatMap(uuid => this.made.get(String(uuid)) ?? [])
    const preservedMessages = { anchorUuid, uuids: named, allUuids: all.length > 0 ? all : named }
    return { compactMetadata: { ...metadata, preservedSegment, preservedMessages } }
  }

  private recordNamed(event: unknown): string | undefined {
    return typeof event === 'string' ? this.made.get(event)?.at(-1) : undefined
  }

  private logicalParent(event: NewEvent): string | undefined {
    if (event.kind !== 'compaction' || event.detail?.['phase'] === 'micro') return undefined
    const named = event.logicalParent === undefined ? undefined : this.made.get(event.logicalParent)?.at(-1)
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
      version: this.version || this.form.version,
      ...(isSide && { isSidechain: true, ...(type === 'human' && { userType: 'external' }) }),
      ...fields,
    }
  }

  private envelopeOf003({ type, fields }: WireDraft, { id, parent, time, event }: RecordPlace): JsonObject {
    const logical = event.logicalParent === undefined ? undefined : this.made.get(event.logicalParent)?.at(-1)
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
      const record = named === undefined ? undefined : this.made.get(named)?.at(-1)
      if (record !== undefined) value[field] = record
    }
    if (!whole && timedTypes.has(type) && value['timestamp'] === undefined)
      value['timestamp'] = toInstant(this.timeOf(event, null, event.agent ?? main))
    if (!whole && !unnamedTypes.has(type)) value['sessionId'] = this.options.session
    else if ('sessionId' in value) value['sessionId'] = this.options.session
    return value
  }

  private noteCalls(event: NewEvent, ids: readonly string[], thread: string): void {
    let at = 0
    for (const block of event.blocks ?? []) {
      if (block.type === 'tool-call' && ids.length > 0) {
        const call = { record: ids[Math.min(at, ids.length - 1)] as string, thread }
        this.calls.add(block.callId)
        this.openCalls.set(block.callId, call)
        if (delegatingTools.has(block.name)) this.delegations.set(block.callId, call)
      } else if (block.type === 'tool-result') {
        this.openCalls.delete(block.callId)
        this.delegations.delete(block.callId)
      }
      at++
    }
  }
}

interface RecordPlace {
  id: string
  parent: string | null
  time: number
  event: NewEvent
  /** Of an answer. */
  messageId: string | undefined
}

/** Records outside of the chain that say when they were written. */
const timedTypes: ReadonlySet<string> = new Set(['queue-operation'])
/** Those that do not name their session. */
const unnamedTypes: ReadonlySet<string> = new Set(['summary', 'file-history-snapshot'])
