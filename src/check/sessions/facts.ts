// What the rules of this folder look up again and again: a file's records by uuid, its tool calls and results, texts and
// names in paths. It is worked out once per file and per session; it judges nothing.

import { asArray, asString, isObject, type JsonObject } from '../../base/json.ts'
import { chainTypes, type SessionEvent } from '../../model/event.ts'
import type { LogRecord } from '../../model/record.ts'
import type { LogFile } from '../../model/source.ts'
import type { FileFacts, Place, RecordFacts, SessionFacts } from '../rule.ts'
import { blocksOf } from '../wire.ts'

/** A record that has an object, with the event made from it. */
export interface Logged {
  event: SessionEvent
  record: LogRecord
  value: JsonObject
}

/** A `tool_use` block, or a relative of it that the API runs itself. */
export interface CallBlock {
  id: string
  name: string
  input: JsonObject
  /** False for `server_tool_use` and the like, whose results may never be logged. */
  isOwn: boolean
  from: Logged
}

/** A block that answers a call by `tool_use_id`. */
export interface ResultBlock {
  id: string
  block: JsonObject
  from: Logged
}

export interface FileIndex {
  file: LogFile
  /** All records that have an object, but those of other tools, in file order. */
  logged: Logged[]
  /** Those that are links of the uuid chain. */
  chain: Logged[]
  /** The first record with each uuid. */
  byUuid: Map<string, Logged>
  calls: CallBlock[]
  results: ResultBlock[]
}

export interface SessionIndex {
  files: FileIndex[]
  /** The first record with each uuid over all files of the session. */
  byUuid: ReadonlyMap<string, Logged>
  callsById: ReadonlyMap<string, readonly CallBlock[]>
  resultsById: ReadonlyMap<string, readonly ResultBlock[]>
}

const fileIndexes = new WeakMap<FileFacts, FileIndex>()
const sessionIndexes = new WeakMap<readonly FileFacts[], SessionIndex>()

export function indexFile(facts: FileFacts): FileIndex {
  const known = fileIndexes.get(facts)
  if (known !== undefined) return known
  const index: FileIndex = { file: facts.file, logged: [], chain: [], byUuid: new Map(), calls: [], results: [] }
  for (const event of facts.events) {
    const { record } = event
    const { value, dialect } = record
    if (value === undefined || dialect === 'foreign' || dialect === 'journal' || dialect === 'history') continue
    addRecord(index, { event, record, value })
  }
  fileIndexes.set(facts, index)
  return index
}

function addRecord(index: FileIndex, logged: Logged): void {
  const { value } = logged
  index.logged.push(logged)
  if (isChain(logged)) index.chain.push(logged)
  const uuid = uuidOf(value)
  if (uuid !== undefined && !index.byUuid.has(uuid)) index.byUuid.set(uuid, logged)
  for (const block of blocksOf(value)) {
    const answers = asString(block['tool_use_id'])
    if (answers !== undefined) index.results.push({ id: answers, block, from: logged })
    const type = asString(block['type']) ?? ''
    const id = asString(block['id'])
    if (id === undefined || !type.endsWith('tool_use')) continue
    const input = isObject(block['input']) ? block['input'] : {}
    index.calls.push({ id, name: asString(block['name']) ?? '', input, isOwn: type === 'tool_use', from: logged })
  }
}

export function indexSession(facts: SessionFacts): SessionIndex {
  const known = sessionIndexes.get(facts.perFile)
  if (known !== undefined) return known
  const files = facts.perFile.map(indexFile)
  const byUuid = new Map<string, Logged>()
  const callsById = new Map<string, CallBlock[]>()
  const resultsById = new Map<string, ResultBlock[]>()
  for (const file of files) {
    for (const [uuid, logged] of file.byUuid) if (!byUuid.has(uuid)) byUuid.set(uuid, logged)
    for (const call of file.calls) pushTo(callsById, call.id, call)
    for (const result of file.results) pushTo(resultsById, result.id, result)
  }
  const index: SessionIndex = { files, byUuid, callsById, resultsById }
  sessionIndexes.set(facts.perFile, index)
  return index
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Whether the record is a link of the uuid chain: by its type, or because it has both ids of one. */
export function isChain({ record, value }: { record: LogRecord; value: JsonObject }): boolean {
  return chainTypes.has(record.type ?? '') || (uuidOf(value) !== undefined && 'parentUuid' in value)
}

export function uuidOf(value: JsonObject): string | undefined {
  return asString(value['uuid'])
}

export function parentOf(value: JsonObject): string | undefined {
  return asString(value['parentUuid'])
}

export function isSidechain(value: JsonObject): boolean {
  return value['isSidechain'] === true
}

/** What the record says as text: the message itself, its content, or its text blocks together. */
export function textOf(value: JsonObject): string {
  const message = value['message']
  if (typeof message === 'string') return message
  if (!isObject(message)) return ''
  return contentText(message['content'])
}

/** A content's text, be it a string or blocks. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = asArray(content).map(block => (isObject(block) ? asString(block['text']) : undefined))
  return texts.filter(text => text !== undefined).join('\n')
}

/** `message.id`, the API message that an assistant record is a part of. */
export function messageIdOf(value: JsonObject): string | undefined {
  const message = value['message']
  return isObject(message) ? asString(message['id']) : undefined
}

export function placeOf({ record, event }: Logged): Place {
  return { record, event }
}

export function placeIn({ record, event }: RecordFacts): Place {
  return event === null ? { record } : { record, event }
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}

/** The digit that says of which version a UUID is. */
export function uuidVersion(uuid: string): string {
  return uuid.charAt(14)
}

/** Folder and file names of a path, whatever its separator. */
export function pathParts(path: string): string[] {
  return path.split(/[\\/]+/).filter(part => part !== '')
}

/** The file's name without `.jsonl`. */
export function nameOf(path: string): string {
  return (pathParts(path).at(-1) ?? '').replace(/\.jsonl$/i, '')
}
