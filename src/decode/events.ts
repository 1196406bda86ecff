// Records of one file → events: the envelope that all kinds share, and the choice of the decoder for the rest.
// It keeps only what streaming needs: ids seen, what is carried forward, open delegations.

import { textToBytes } from '../base/bytes.ts'
import { IdSet } from '../base/id-set.ts'
import { toInstant } from '../base/instant.ts'
import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import { chainTypes, type Flag, hasFlag, type SessionEvent } from '../model/event.ts'
import { type EventId, eventId, recordedId, type SessionId, sessionId, type ThreadId, threadId } from '../model/ids.ts'
import type { LogRecord } from '../model/record.ts'
import type { FileRole } from '../model/source.ts'
import { decodeAssistant, writesFinalOutput } from './assistant.ts'
import { decodeAttachment } from './attachment.ts'
import { setDetail } from './detail.ts'
import { type Draft, type DraftInput, otherDraft } from './draft.ts'
import { embeddedRecord } from './embedded.ts'
import { clientTypes } from './known.ts'
import { RecordDecoder } from './records.ts'
import { decodeS0 } from './s0.ts'
import { decodeS3, S3Pairs, type S3PairsState } from './s3.ts'
import {
  decodeHistory,
  decodeLink,
  decodeProgress,
  decodeQueue,
  decodeSavedHookContext,
  decodeSnapshot,
  decodeState,
  decodeTitle,
} from './side-records.ts'
import { RecordStated } from './stated.ts'
import { decodeSystem } from './system.ts'
import { ThreadReader, type ThreadState } from './threads.ts'
import { decodeUser } from './user.ts'

/** What is known about a file before its first record is read. */
export interface EventOptions {
  /** The session that the file belongs to; used where records carry none, and as name of the main thread. */
  session?: string
  role?: FileRole
  /** The agent whose file this is. */
  agent?: string
  /** Keep base64 data of images and documents in the blocks. */
  data?: boolean
}

/** What a file's name and place say about its session and agent; `options` say more, or better. */
export function eventOptions(
  file: { role: FileRole; nameSession?: string; nameAgent?: string },
  options: EventOptions = {},
): EventOptions {
  const known: EventOptions = { role: file.role, ...options }
  const session = options.session ?? file.nameSession
  if (session !== undefined) known.session = session
  if (file.role === 'agent' && file.nameAgent !== undefined) known.agent = file.nameAgent
  return known
}

/** All that a decoder of events must know to continue at any place of a file. Plain data. */
export interface EventState {
  /** Ids seen, as `IdSet` gives them. */
  seen: Uint32Array
  repeats: [string, number][]
  threads: ThreadState
  s3Pairs: S3PairsState
  main?: SessionId
  version?: string
  cwd?: string
  gitBranch?: string
  hasHumanUserType: boolean
}

/** Turns the records of one file into events, in file order. Make one per file. */
export class EventDecoder {
  private readonly options: EventOptions
  private readonly seen: IdSet
  private readonly repeats: Map<string, number>
  private readonly threads: ThreadReader
  private readonly s3Pairs: S3Pairs
  private main: SessionId | undefined
  /** By which its records name it. */
  private readonly recorded: string | undefined
  private version: string | undefined
  private hasFinalOutput = false
  private cwd: string | undefined
  private gitBranch: string | undefined
  private hasHumanUserType: boolean

  /** `state`: of a decoder with the same options that read the file up to the next record. */
  constructor(options: EventOptions = {}, state?: EventState) {
    this.options = options
    this.main = state?.main ?? (options.session === undefined ? undefined : sessionId(options.session))
    this.recorded = this.main === undefined ? undefined : recordedId(this.main)
    this.seen = state === undefined ? new IdSet() : IdSet.fromPairs(state.seen)
    this.repeats = new Map(state?.repeats)
    this.threads = new ThreadReader(options.agent, this.seen, state?.threads)
    this.s3Pairs = new S3Pairs(state?.s3Pairs)
    this.version = state?.version
    this.hasFinalOutput = this.version !== undefined && writesFinalOutput(this.version)
    this.cwd = state?.cwd
    this.gitBranch = state?.gitBranch
    this.hasHumanUserType = state?.hasHumanUserType ?? false
  }

  save(): EventState {
    return {
      seen: this.seen.toPairs(),
      repeats: [...this.repeats],
      threads: this.threads.save(),
      s3Pairs: this.s3Pairs.save(),
      ...(this.main !== undefined && { main: this.main }),
      ...(this.version !== undefined && { version: this.version }),
      ...(this.cwd !== undefined && { cwd: this.cwd }),
      ...(this.gitBranch !== undefined && { gitBranch: this.gitBranch }),
      hasHumanUserType: this.hasHumanUserType,
    }
  }

  /**
   * The record's own event, and behind it that of the subagent's line which the record carries, if it carries one; none for a
   * blank line, which says nothing.
   */
  decode(record: LogRecord): SessionEvent[] {
    if (record.status === 'blank') return []
    const { value } = record
    if (value === undefined) return [this.malformed(record)]
    const event = this.event(record, value)
    const embedded = embeddedRecord(record, event.id)
    return embedded === undefined ? [event] : [event, this.event(embedded, embedded.value, true)]
  }

  private malformed(record: LogRecord): SessionEvent {
    const session = this.sessionOf(record, undefined)
    return {
      id: eventId(`${session}@${record.offset}`),
      kind: 'malformed',
      actor: 'client',
      wireType: '',
      session,
      thread: this.mainThread(session),
      parent: null,
      at: null,
      dialect: record.dialect,
      source: sourceOf(record),
      blocks: [],
      flags: [],
      detail: { status: record.status },
      record,
      stated: {},
    }
  }

  private event(record: LogRecord, value: JsonObject, isEmbedded = false): SessionEvent {
    const session = this.sessionOf(record, value)
    const uuid = asString(value['uuid']) || undefined
    const flags: Flag[] = isEmbedded ? ['embedded'] : []
    const id = this.idOf(record, session, uuid, flags)
    // A line of the prompt history names the session it was typed in, whichever that is.
    const main = record.dialect === 'history' ? threadId(session) : this.mainThread(session)
    this.carryForward(value)
    const isChain = uuid !== undefined || (record.type !== null && chainTypes.has(record.type))
    const thread = this.threads.threadOf(value, id, record.dialect, main, isChain)
    const parent = this.parentOf(value, thread, isChain && (uuid === undefined || isEmbedded), flags)
    const draft = this.draft(record, value, id, thread, main)
    addFlags(flags, value, draft)
    // Its kind and detail belong together: see `setDetail`.
    const event = {
      id,
      kind: draft.kind,
      actor: draft.actor,
      wireType: record.type ?? '',
      session,
      thread,
      parent,
      at: toInstant(value['timestamp'] ?? asObject(value['snapshot'])?.['timestamp'] ?? value['ts']),
      dialect: record.dialect,
      source: sourceOf(record),
      blocks: draft.blocks,
      flags,
      record,
      stated: new RecordStated(value),
    } as SessionEvent
    this.addOptional(event, value, draft)
    if (isChain) this.threads.note(thread, id, draft.blocks, thread === main)
    return event
  }

  private addOptional(event: SessionEvent, value: JsonObject, draft: Draft): void {
    const logical = asString(value['logicalParentUuid'])
    if (logical !== undefined) event.logicalParent = eventId(logical)
    if (this.version !== undefined) event.version = this.version
    if (this.cwd !== undefined) event.cwd = this.cwd
    if (this.gitBranch !== undefined) event.gitBranch = this.gitBranch
    if (draft.message) event.message = draft.message
    const { subtype } = event.record
    const isNamed = subtype !== undefined && (event.dialect === 's0' || event.dialect === 's3')
    if (isNamed) setDetail(event, { subtype, ...draft.detail })
    else if (draft.detail) setDetail(event, draft.detail)
  }

  private sessionOf(record: LogRecord, value: JsonObject | undefined): SessionId {
    const stated = asString(value?.['sessionId'] ?? value?.['session_id'])
    if (this.main === undefined && stated) this.main = sessionId(stated)
    if (this.main !== undefined && stated === this.recorded) return this.main
    return stated ? sessionId(stated) : (this.main ?? sessionId(fileStem(record.file)))
  }

  private mainThread(session: SessionId): ThreadId {
    return threadId(this.main ?? session)
  }

  private idOf(record: LogRecord, session: SessionId, uuid: string | undefined, flags: Flag[]): EventId {
    if (!uuid) return eventId(`${session}@${record.offset}`)
    if (this.seen.add(uuid)) return eventId(uuid)
    const count = (this.repeats.get(uuid) ?? 1) + 1
    this.repeats.set(uuid, count)
    flags.push('copy')
    return eventId(`${uuid}~${count}`)
  }

  private carryForward(value: JsonObject): void {
    const version = value['version']
    if (typeof version === 'string' && version !== this.version) {
      this.version = version
      this.hasFinalOutput = writesFinalOutput(version)
    }
    if (typeof value['cwd'] === 'string') this.cwd = value['cwd']
    if (typeof value['gitBranch'] === 'string') this.gitBranch = value['gitBranch'] || undefined
    if (value['userType'] === 'human') this.hasHumanUserType = true
  }

  /** `mayFollow`: a record that states no parent follows the one before it on its thread. */
  private parentOf(value: JsonObject, thread: ThreadId, mayFollow: boolean, flags: Flag[]): EventId | null {
    const stated = value['parentUuid']
    if (typeof stated === 'string' && stated !== '') return eventId(stated)
    if (!mayFollow || 'parentUuid' in value) return null
    const parent = this.threads.parentByPlace(thread)
    if (parent !== null) flags.push('inferred')
    return parent
  }

  private draft(record: LogRecord, value: JsonObject, id: EventId, thread: ThreadId, main: ThreadId): Draft {
    const isSubagent = thread !== main || this.options.agent !== undefined
    const { hasFinalOutput, options } = this
    const input: DraftInput = { record, value, id, isSubagent, hasFinalOutput, options }
    switch (record.dialect) {
      case 'client':
        return decodeClient(input)
      case 's0':
        return decodeS0(input)
      case 's3':
        return this.draftS3(input, thread)
      case 'history':
        return decodeHistory(input)
      default:
        return otherDraft(input)
    }
  }

  private draftS3(input: DraftInput, thread: ThreadId): Draft {
    const { record, value } = input
    // "external" is a program only where people are called "human".
    if (this.hasHumanUserType && value['userType'] === 'external') input.isSubagent = true
    if (record.type !== 'system') {
      const draft = decodeS3(input, undefined)
      if (typeof value['toolName'] === 'string') this.s3Pairs.call(thread, input.id, value['isAborted'] === true)
      else if (record.type === 'assistant' || record.type === 'user') this.s3Pairs.goOn(thread)
      return draft
    }
    const parent = asString(value['parentUuid'])
    const isKnown = parent !== undefined && this.seen.has(parent)
    return decodeS3(input, this.s3Pairs.answer(thread, input.id, parent, isKnown))
  }
}

function decodeClient(input: DraftInput): Draft {
  const type = input.record.type ?? untypedKind(input.value)
  switch (type) {
    case 'user':
      return decodeUser(input)
    case 'assistant':
      return decodeAssistant(input)
    case 'system':
      return decodeSystem(input)
    case 'attachment':
      return decodeAttachment(input)
    case 'progress':
      return decodeProgress(input)
    case 'saved_hook_context':
      return decodeSavedHookContext(input)
    default:
      return decodeSideRecord(input, type)
  }
}

/** A side record without a type is known by its fields. */
function untypedKind(value: JsonObject): string {
  if ('leafUuid' in value) return 'summary'
  return 'snapshot' in value ? 'file-history-snapshot' : ''
}

function decodeSideRecord(input: DraftInput, type: string): Draft {
  switch (clientTypes.get(type)) {
    case 'title':
      return decodeTitle(input)
    case 'state':
      return decodeState(input)
    case 'link':
      return decodeLink(input)
    case 'queue':
      return decodeQueue(input)
    case 'snapshot':
      return decodeSnapshot(input)
    default:
      return otherDraft(input)
  }
}

/** Whether kind, thread and id of an event would be the same without the records before it in its file, a log of this role. */
export function isSelfContained(event: SessionEvent, role: FileRole): boolean {
  const { value, type } = event.record
  if (value === undefined || event.dialect !== 'client' || hasFlag(event, 'copy')) return false
  const { message, uuid } = value
  if (typeof uuid === 'string' && !/^[\w-]*$/.test(uuid)) return false
  if (isObject(message) ? typeof message['role'] !== 'string' : type === 'user' || type === 'assistant') return false
  return role === 'agent' || value['isSidechain'] !== true || typeof value['agentId'] === 'string'
}

/** Every field by its own name: this runs for every record, and a lookup by a variable costs several times as much. */
function addFlags(flags: Flag[], value: JsonObject, draft: Draft): void {
  if (value['isMeta'] === true) flags.push('meta')
  if (value['isSidechain'] === true) flags.push('sidechain')
  if (value['isDeleted'] === true) flags.push('deleted')
  if (value['isAborted'] === true) flags.push('aborted')
  if (value['isError'] === true) flags.push('error')
  if (value['is_active'] === true) flags.push('active')
  if (value['isVisibleInTranscriptOnly'] === true) flags.push('transcript-only')
  if (draft.flags) for (const flag of draft.flags) if (!flags.includes(flag)) flags.push(flag)
}

function sourceOf(record: LogRecord): SessionEvent['source'] {
  const source: SessionEvent['source'] = {
    file: record.file,
    line: record.line,
    offset: record.offset,
    bytes: record.bytes,
  }
  if (record.part !== undefined) source.part = record.part
  return source
}

function fileStem(file: string): string {
  return file.replace(/^.*[\\/]/, '').replace(/\.jsonl$/, '') || 'session'
}

/** A whole file at once, for small inputs. */
export function decodeText(
  text: string | Uint8Array,
  options: EventOptions & { file?: string } = {},
): { records: LogRecord[]; events: SessionEvent[] } {
  const decoder = new RecordDecoder(options.file ?? 'session.jsonl')
  const bytes = typeof text === 'string' ? textToBytes(text) : text
  const records = [...decoder.push(bytes), ...decoder.end()]
  const events = new EventDecoder(options)
  return { records, events: records.flatMap(record => events.decode(record)) }
}
