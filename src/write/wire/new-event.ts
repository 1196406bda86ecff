// What is to be written: a canonical event of which only the kind has to be given. It checks input before a byte is made of it;
// what a dialect makes of an event is in its own file.

import type { Instant } from '../../base/instant.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { detailFields } from '../../model/detail.ts'
import type { Actor, Block, EventKind, Flag, MessageFacts, SessionEvent, ThinkingBlock } from '../../model/event.ts'
import { eventKinds } from '../../model/event.ts'
import { WriteError } from './error.ts'

/** A block to write. Thinking goes back to the model only with the signature that the API gave it. */
export type NewBlock = Block | (ThinkingBlock & { signature?: string })

/** An event to write, as `clew events --json` prints one. Everything but the kind may be left to the writer. */
export interface NewEvent {
  kind: EventKind
  actor?: Actor
  blocks?: readonly NewBlock[]
  message?: Partial<MessageFacts>
  flags?: readonly Flag[]
  detail?: Readonly<Record<string, unknown>>
  /** Its own id; a new one where it is absent, or where the dialect needs another form. */
  id?: string
  /** The event it follows; absent: the last one of its thread. Null begins a new root. */
  parent?: string | null
  logicalParent?: string
  at?: Instant
  /** The subagent that says it; absent on the main thread. */
  agent?: string
  /** Absent: as the session has it. */
  version?: string
  cwd?: string
  gitBranch?: string
  /** The record's `type` in the dialect it was read from: distinguishes what one kind is written as. */
  wireType?: string
  /** The record that it was read from, where that is written as Claude Code or 000 writes it: nothing of it is lost then. */
  raw?: JsonObject
}

/** Something that the dialect cannot say. */
export interface Loss {
  /** The event, as it was named before. */
  event: string
  /** What of it: `blocks[1].signature`, `message.usage`, or `` for all of it. */
  path: string
  why: string
}

const kinds: ReadonlySet<string> = new Set(eventKinds)

/** A text with a half of a surrogate pair in it. */
const loneSurrogate = /\p{Cs}/u

/** Throws where JSON or UTF-8 could not say it, or where it is no event. */
export function checkInput(event: NewEvent): void {
  if (!isObject(event)) throw new WriteError('bad-input', 'An event is an object with a kind.')
  if (!kinds.has(event.kind))
    throw new WriteError('bad-input', `"${String(event.kind)}" is not a kind of event.`, 'kind')
  if (event.blocks !== undefined && !Array.isArray(event.blocks))
    throw new WriteError('bad-input', 'blocks is a list.', 'blocks')
  checkJson(event)
  for (const [at, block] of (event.blocks ?? []).entries()) checkBlock(block, `blocks[${at}]`)
}

function checkBlock(block: NewBlock, path: string): void {
  const fail = (message: string): never => {
    throw new WriteError('bad-input', message, path)
  }
  if (!isObject(block)) fail('A block is an object with a type.')
  switch (block.type) {
    case 'text':
    case 'thinking':
      if (typeof block.text !== 'string') fail(`A ${block.type} block has a text.`)
      return
    case 'tool-call':
      if (typeof block.callId !== 'string' || block.callId === '') fail('A tool call has a callId.')
      if (typeof block.name !== 'string' || block.name === '') fail('A tool call has the name of its tool.')
      return
    case 'tool-result':
      if (typeof block.callId !== 'string' || block.callId === '') fail('A tool result has the callId of its call.')
      if (!Array.isArray(block.content)) fail('A tool result has a list of blocks as content.')
      for (const [at, inner] of block.content.entries()) checkBlock(inner, `${path}.content[${at}]`)
      return
    case 'image':
    case 'document':
      if (typeof block.mediaType !== 'string') fail(`A ${block.type} has a mediaType.`)
      return
    case 'other':
      return
    default:
      fail(`"${String((block as { type?: unknown }).type)}" is not a type of block.`)
  }
}

/** An object that is looked at, where it is, and what it is in. */
interface Inside {
  value: object
  key: string
  above: Inside | null
}

/** Walks with a stack of its own: input may be nested deeper than calls can be. */
function checkJson(root: object): void {
  const stack: Inside[] = [{ value: root, key: '', above: null }]
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const isList = Array.isArray(at.value)
    if (!isList && !isPlain(at.value))
      throw new WriteError('not-json', `JSON has no ${at.value.constructor?.name ?? 'such object'}.`, pathOf(at))
    for (let above = at.above; above !== null; above = above.above)
      if (above.value === at.value) throw new WriteError('not-json', 'A value contains itself.', pathOf(at))
    for (const [key, value] of Object.entries(at.value)) {
      if (!isList && loneSurrogate.test(key)) throw surrogateError('A name', pathOf(at))
      if (typeof value === 'object' && value !== null) stack.push({ value, key, above: at })
      else checkLeaf(value, { value: at.value, key, above: at })
    }
  }
}

function checkLeaf(value: unknown, at: Inside): void {
  if (typeof value === 'string') {
    if (loneSurrogate.test(value)) throw surrogateError('A text', pathOf(at))
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new WriteError('not-json', `JSON has no ${String(value)}.`, pathOf(at))
  } else if (value !== null && value !== undefined && typeof value !== 'boolean') {
    throw new WriteError('not-json', `JSON has no ${typeof value}.`, pathOf(at))
  }
}

function surrogateError(what: string, path: string): WriteError {
  return new WriteError('lone-surrogate', `${what} has half of a surrogate pair, which UTF-8 cannot encode.`, path)
}

/** `blocks[2].input.size`. */
function pathOf(last: Inside): string {
  let path = ''
  for (let at: Inside | null = last; at?.above != null; at = at.above)
    path = (Array.isArray(at.above.value) ? `[${at.key}]` : `.${at.key}`) + path
  return path.replace(/^\./, '')
}

/** An object of names and values: what a `Map` or a `Date` has would be lost or become something else. */
function isPlain(value: object): boolean {
  const made: unknown = Object.getPrototypeOf(value)
  return made === null || Object.getPrototypeOf(made) === null
}

/** An event that was read, to be written again. */
export function toNewEvent(event: SessionEvent, isSubagent: boolean): NewEvent {
  const { kind, actor, blocks, flags, parent, at, wireType, record } = event
  return {
    kind,
    actor,
    blocks,
    flags,
    parent,
    at,
    wireType,
    id: event.id,
    ...(event.message !== undefined && { message: event.message }),
    ...(event.detail !== undefined && { detail: detailFields(event) }),
    ...(event.logicalParent !== undefined && { logicalParent: event.logicalParent }),
    ...(isSubagent && { agent: event.thread }),
    ...(event.version !== undefined && { version: event.version }),
    ...(event.cwd !== undefined && { cwd: event.cwd }),
    ...(event.gitBranch !== undefined && { gitBranch: event.gitBranch }),
    ...(record.value !== undefined && event.dialect !== 's3' && { raw: record.value }),
  }
}
