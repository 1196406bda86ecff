// Every text of an event, decoded: first what it shows, then what else its record says. `grep` and the index have no other
// texts, so that a word that one finds the other finds too. Nothing is shortened, escaped or searched here.

import { asArray, asString, isObject, type JsonObject } from '../base/json.ts'
import { type Block, type EventKind, privateTypes, type SessionEvent } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import type { LogRecord } from '../model/record.ts'
import type { TextField } from './text-kinds.ts'

/** A text, with the tool call that it belongs to where there is one. */
export interface EventText {
  field: TextField
  text: string
  /** The place of its block in the event. */
  block: number
  callId?: CallId
}

/** The part of an event that its texts are in. */
export type TextHolder = Pick<SessionEvent, 'kind' | 'blocks'> & { record: Pick<LogRecord, 'value'> }

/** What is said, thought, asked of tools and answered by them, attached or named: the texts of an event's blocks, in order. */
export function shownTexts(event: TextHolder): EventText[] {
  return event.blocks.flatMap((block, at) => {
    const place = { field: fieldOfBlock(block, event), block: at, ...('callId' in block && { callId: block.callId }) }
    return textsOfBlock(block, event).map(text => ({ ...place, text }))
  })
}

const blockFields: Partial<Record<Block['type'], TextField>> = {
  'tool-call': 'input',
  'tool-result': 'output',
  thinking: 'thinking',
  text: 'text',
}

/** What the texts of a block are to a reader. */
export function fieldOfBlock({ type }: Block, { kind }: Pick<TextHolder, 'kind'>): TextField {
  return kind === 'title' && type === 'text' ? 'title' : (blockFields[type] ?? 'other')
}

/** What the further texts of an event are, where they are not just other texts. */
const furtherFields: Partial<Record<EventKind, TextField>> = {
  'tool-results': 'output',
  progress: 'status',
  state: 'status',
  title: 'status',
  queue: 'status',
}

/** What the further texts of an event of this kind are to a reader. */
export function fieldOfFurther(kind: EventKind): TextField {
  return furtherFields[kind] ?? 'other'
}

function textsOfBlock(block: Block, event: TextHolder): string[] {
  if (block.type === 'text' || block.type === 'thinking') return block.text === '' ? [] : [block.text]
  // A record that is one such block as a whole is among the further texts.
  if (block.type === 'other') return block.raw === event.record.value ? [] : stringsIn(block.raw, isNoText)
  if (block.type === 'tool-call') return stringsIn(block.input)
  return block.type === 'tool-result' ? block.content.flatMap(part => textsOfBlock(part, event)) : []
}

/**
 * Texts of the record outside its blocks: the structured copy of a tool's output, further fields of attachments, hooks and
 * notices. Much of it repeats what is shown, in another form; what the call said already is left out.
 */
export function furtherTexts(event: TextHolder): string[] {
  const { value } = event.record
  if (value === undefined || event.kind === 'snapshot' || privateTypes.has(asString(value['type']) ?? '')) return []
  const isMessage = event.blocks.length > 0 && isObject(value['message'])
  const texts: string[] = []
  for (const [key, field] of Object.entries(value)) {
    if (envelope.has(key) || (isMessage && key === 'message')) continue
    const isLeftOut = event.kind === 'progress' ? isCopy : key === 'toolUseResult' ? isOfCall : isNoText
    for (const text of stringsIn(field, isLeftOut)) texts.push(text)
    if (key === 'toolUseResult' && isObject(field)) texts.push(...patchTexts(field))
  }
  return texts
}

/** Fields that say where a record belongs, not what it says. */
const envelope: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'leafUuid',
  'messageId',
  'sessionId',
  'session_id',
  'agentId',
  'requestId',
  'promptId',
  'toolUseID',
  'parentToolUseID',
  'sourceToolAssistantUUID',
  'timestamp',
  'version',
  'cwd',
  'gitBranch',
  'userType',
  'entrypoint',
  'slug',
])

const noTexts: ReadonlySet<string> = new Set(['signature', 'base64', 'originalFile', 'originalFileContents', 'type'])

/** Signatures and binary data; a file as it was before an edit, which the edit does not show. */
function isNoText(key: string, holder: JsonObject): boolean {
  if (noTexts.has(key)) return true
  return key === 'data' && ('media_type' in holder || 'mediaType' in holder)
}

/** Progress lines carry lines of the subagent's own thread, and output that its result has. */
function isCopy(key: string, holder: JsonObject): boolean {
  return key === 'message' || key === 'normalizedMessages' || key === 'fullOutput' || isNoText(key, holder)
}

/** What a result repeats of its call, by a field that such results have: of an edit, a task for an agent, a list of todos. */
const repeatedFields: readonly [of: string, fields: readonly string[]][] = [
  ['structuredPatch', ['structuredPatch', 'oldString', 'newString', 'edits', 'content']],
  ['agentId', ['prompt', 'description']],
  ['agent_id', ['prompt', 'description']],
  ['task_id', ['prompt', 'description']],
  ['newTodos', ['newTodos', 'oldTodos']],
  ['answers', ['questions']],
  ['new_source', ['new_source']],
]

function isOfCall(key: string, holder: JsonObject): boolean {
  if (key === 'content' && holder['userModified'] === true) return false
  return repeatedFields.some(([of, fields]) => of in holder && fields.includes(key)) || isNoText(key, holder)
}

/** Of the patch of an edit, each hunk's lines that the call does not say: lines around the change, what it replaced. */
function patchTexts(result: JsonObject): string[] {
  const said = new Set<string>()
  // What a person changed before it was written is not in the call.
  const fields =
    result['userModified'] === true ? ['oldString', 'content'] : ['oldString', 'newString', 'edits', 'content']
  for (const field of fields) {
    for (const text of stringsIn(result[field])) for (const line of text.split(/\r?\n/)) said.add(line)
  }
  return asArray(result['structuredPatch']).flatMap(hunk => {
    const lines = stringsIn(isObject(hunk) ? hunk['lines'] : undefined)
    const further = lines.filter(line => !said.has(line.slice(1).replace(/\r$/, '')))
    return further.length === 0 ? [] : [further.join('\n')]
  })
}

/** All strings in a JSON value, in order; a loop, since logs nest as deep as they like. */
function stringsIn(root: unknown, isLeftOut?: (key: string, holder: JsonObject) => boolean): string[] {
  const texts: string[] = []
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'string') {
      if (value !== '') texts.push(value)
    } else if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--) stack.push(value[at])
    } else if (isObject(value)) {
      const keys = Object.keys(value)
      for (let at = keys.length - 1; at >= 0; at--) {
        const key = keys[at] as string
        if (isLeftOut === undefined || !isLeftOut(key, value)) stack.push(value[key])
      }
    }
  }
  return texts
}
