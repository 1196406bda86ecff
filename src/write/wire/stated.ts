// What became of an event that was written: only what it stated counts, what the writer made up is no loss. The records are read
// again, so that nothing is overlooked; the comparison is that of losses.ts.

import { base64Size } from '../../base/bytes.ts'
import { isObject, type JsonObject, jsonText } from '../../base/json.ts'
import { detailFields } from '../../model/detail.ts'
import type { Block, SessionEvent } from '../../model/event.ts'
import { callId, eventId, threadId } from '../../model/ids.ts'
import type { DialectForm } from './dialects.ts'
import { lossesOf, unexplained } from './losses.ts'
import type { Loss, NewBlock, NewEvent } from './new-event.ts'

/** How what an event names is called in the file. */
export interface WrittenNames {
  record(event: string): string
  call(call: string): string
}

/** `after`: what was read of its records, none where the dialect cannot say it. */
export function statedLosses(
  event: NewEvent,
  after: readonly SessionEvent[],
  names: WrittenNames,
  form: DialectForm,
  name: string,
): Loss[] {
  const [first] = after
  if (first !== undefined && saysAll(event, first, after, names)) return signatureLosses(event, after, form, name)
  const before = first === undefined ? nothingWritten(event, name) : expected(event, first, after, names)
  const losses = lossesOf([{ before: [before], after }], form).map(loss => ({ ...loss, event: name }))
  return first === undefined ? losses : [...losses, ...signatureLosses(event, after, form, name)]
}

/** Whether all that was stated was read as it was: the usual case, without naming differences. */
function saysAll(event: NewEvent, first: SessionEvent, after: readonly SessionEvent[], names: WrittenNames): boolean {
  const { kind, actor, blocks, message, flags, detail, parent, logicalParent, at, agent, version, cwd, gitBranch } =
    event
  if (kind !== first.kind || (actor !== undefined && actor !== first.actor)) return false
  if (parent !== undefined && (parent === null ? null : names.record(parent)) !== first.parent) return false
  if (logicalParent !== undefined && names.record(logicalParent) !== first.logicalParent) return false
  if (at !== undefined && at !== first.at) return false
  if (agent !== undefined && first.thread === (first.session as string)) return false
  if (version !== undefined && version !== first.version) return false
  if (cwd !== undefined && cwd !== first.cwd) return false
  if (gitBranch !== undefined && gitBranch !== (first.gitBranch ?? '')) return false
  if (flags?.some(flag => !first.flags.includes(flag)) === true) return false
  if (detail !== undefined && !saysDetail(detail, first, names)) return false
  if (message !== undefined && !saysFacts(message, first.message)) return false
  return blocks === undefined || saysBlocks(blocks, after.length === 1 ? first.blocks : allBlocks(after), names)
}

function allBlocks(events: readonly SessionEvent[]): Block[] {
  return events.flatMap(({ blocks }) => blocks)
}

function saysDetail(detail: object, event: SessionEvent, names: WrittenNames): boolean {
  const read = detailFields(event)
  const raw = event.record.value
  for (const [key, value] of Object.entries(detail)) {
    if (value === undefined) continue
    const found = read[key] ?? raw?.[key]
    if (found !== (typeof value === 'string' ? names.record(value) : value)) return false
  }
  return true
}

function saysFacts(stated: object, read: object | undefined): boolean {
  for (const [key, value] of Object.entries(stated)) {
    const found = (read as JsonObject | undefined)?.[key]
    if (value === undefined || found === value || key === 'outputFinal') continue
    if (!isObject(value) || !isObject(found) || !saysFacts(value, found)) return false
  }
  return true
}

function saysBlocks(blocks: readonly NewBlock[], read: readonly Block[], names: WrittenNames): boolean {
  if (blocks.length !== read.length) return false
  for (let at = 0; at < blocks.length; at++)
    if (!saysBlock(blocks[at] as NewBlock, read[at] as Block, names)) return false
  return true
}

/** What was built into the record is the same object still. */
function saysBlock(block: NewBlock, read: Block, names: WrittenNames): boolean {
  for (const [key, value] of Object.entries(block)) {
    const found = (read as unknown as JsonObject)[key]
    if (value === undefined || found === value || key === 'signature' || key === 'bytes') continue
    if (key === 'callId' && names.call(value) === found) continue
    if (key !== 'content' || read.type !== 'tool-result' || !saysBlocks(value, read.content, names)) return false
  }
  return true
}

function nothingWritten({ kind }: NewEvent, name: string): SessionEvent {
  return {
    id: eventId(name),
    kind,
    actor: 'client',
    wireType: '',
    session: '' as SessionEvent['session'],
    thread: threadId(''),
    parent: null,
    at: null,
    dialect: 'client',
    source: { file: '', line: 0, offset: 0, bytes: 0 },
    blocks: [],
    flags: [],
    record: { file: '', line: 0, offset: 0, bytes: 0, dialect: 'client', type: null, status: 'known' },
    stated: {},
  }
}

/** What would be read if nothing were lost: as it was read, with all that was stated. */
function expected(
  event: NewEvent,
  first: SessionEvent,
  after: readonly SessionEvent[],
  names: WrittenNames,
): SessionEvent {
  const { kind, actor, blocks, message, flags, detail, parent, logicalParent, at, agent, version, cwd, gitBranch } =
    event
  const read = after.flatMap(one => one.blocks)
  const result: SessionEvent = { ...first, kind, blocks: read }
  if (actor !== undefined) result.actor = actor
  if (blocks !== undefined) result.blocks = expectedBlocks(blocks, read, names)
  if (message !== undefined) result.message = overlay(first.message, message) as NonNullable<SessionEvent['message']>
  if (flags !== undefined) result.flags = [...first.flags, ...flags.filter(flag => !first.flags.includes(flag))]
  if (detail !== undefined) result.detail = expectedDetail(detail, first, names)
  if (parent !== undefined) result.parent = parent === null ? null : eventId(names.record(parent))
  if (logicalParent !== undefined) result.logicalParent = eventId(names.record(logicalParent))
  if (at !== undefined) result.at = at
  if (agent !== undefined && first.thread === (first.session as string)) result.thread = threadId(agent)
  if (version !== undefined) result.version = version
  if (cwd !== undefined) result.cwd = cwd
  if (gitBranch !== undefined && gitBranch !== '') result.gitBranch = gitBranch
  return result
}

/** A block has become the next one of its type, as losses.ts has it. */
function expectedBlocks(blocks: readonly NewBlock[], read: readonly Block[], names: WrittenNames): Block[] {
  let next = 0
  return blocks.map(block => {
    const known = read[next]
    if (known?.type !== block.type) return expectedBlock(block, undefined, names)
    next++
    return expectedBlock(block, known, names)
  })
}

/** As it was read, with all that was stated. */
function expectedBlock(block: NewBlock, read: Block | undefined, names: WrittenNames): Block {
  const result = { ...read, ...block } as Block & { signature?: string }
  switch (result.type) {
    case 'thinking':
      delete result.signature
      return result
    case 'tool-call':
      result.callId = callId(names.call(result.callId))
      return result
    case 'tool-result':
      result.callId = callId(names.call(result.callId))
      result.content = expectedBlocks(result.content, read?.type === 'tool-result' ? read.content : [], names)
      return result
    case 'image':
    case 'document':
      result.bytes = base64Size(result.data ?? '')
      return result
    default:
      return result
  }
}

/** A detail that the record has under its own name is said, wherever it is read. */
function expectedDetail(
  detail: Readonly<Record<string, unknown>>,
  event: SessionEvent,
  names: WrittenNames,
): Record<string, unknown> {
  const read = detailFields(event)
  const said = event.record.value ?? {}
  const stated = Object.entries(detail).filter(
    ([key, value]) => value !== undefined && !(read[key] === undefined && isSaid(said, key, value)),
  )
  return overlay(read, renamed(Object.fromEntries(stated), names)) as Record<string, unknown>
}

function isSaid(value: JsonObject, key: string, stated: unknown): boolean {
  return value[key] !== undefined && jsonText(value[key]) === jsonText(stated)
}

function renamed(value: unknown, names: WrittenNames): unknown {
  if (typeof value === 'string') return names.record(value)
  if (Array.isArray(value)) return value.map(one => renamed(one, names))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamed(one, names)]))
}

/** What was read, with what was stated in its place: names in the order in which they were read. */
function overlay(read: unknown, stated: unknown): unknown {
  if (!isObject(read) || !isObject(stated)) return stated
  const result: Record<string, unknown> = { ...read }
  for (const [key, value] of Object.entries(stated)) if (value !== undefined) result[key] = overlay(read[key], value)
  return result
}

/** Signatures of thinking are no part of a read event: they are looked for in the record. */
function signatureLosses(
  { blocks = [] }: NewEvent,
  after: readonly SessionEvent[],
  form: DialectForm,
  name: string,
): Loss[] {
  return blocks.flatMap((block, at) => {
    const signature = block.type === 'thinking' ? (block as { signature?: string }).signature : undefined
    if (!signature || after.some(({ record }) => jsonText(record.value ?? null).includes(jsonText(signature))))
      return []
    const why = form.cannot.find(([pattern]) => pattern.test('blocks:thinking'))?.[1] ?? unexplained
    return [{ event: name, path: `blocks[${at}].signature`, why }]
  })
}
