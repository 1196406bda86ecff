// What a torn record still says: its texts, calls and results, as far as the bytes go. A block without its beginning, thinking
// without its signature and pictures without their end say nothing.

import { asArray, asObject, asString, isObject, type JsonObject } from '../../base/json.ts'
import { type LenientValue, readLenient } from './lenient-json.ts'

/** A message of which something is left; `uuid`, `parentUuid` and `timestamp` only where they are. */
export interface Salvaged {
  value: JsonObject
  /** Not all of it is there. */
  isTorn: boolean
}

/** How often the search for records may read torn bytes. */
const mostReadings = 12

/** The records in torn bytes, in their order: whole ones, and between them what is left of others. */
export function salvage(text: string): Salvaged[] {
  const found: Salvaged[] = []
  let from = 0
  let effort = text.length * mostReadings
  for (let at = text.indexOf('{"'); at !== -1 && effort > 0; at = text.indexOf('{"', at)) {
    const { value, end, isWhole } = readLenient(text, at)
    effort -= end - at
    if (isWhole && isRecord(value)) {
      found.push(...leftIn(text.slice(from, at)), { value, isTorn: false })
      from = end
      at = end
    } else at++
  }
  return [...found, ...leftIn(text.slice(from))]
}

/** A value with a place in a session: a block has none. */
export function isRecord(value: unknown): value is JsonObject {
  return isObject(value) && 'type' in value && ('uuid' in value || 'sessionId' in value || 'message' in value)
}

/** What is left of a record: its beginning, its end, or both. */
function leftIn(text: string): Salvaged[] {
  const start = text.indexOf('{"')
  const head = start === -1 ? undefined : readLenient(text, start)
  const torn = head === undefined ? undefined : fromHead(head)
  const rest = fromTail(torn === undefined ? text : text.slice(head?.end))
  return [torn, rest].flatMap(value => (value === undefined ? [] : [{ value, isTorn: true }]))
}

function fromHead({ value, cutAt }: LenientValue): JsonObject | undefined {
  const record = asObject(value)
  const message = asObject(record?.['message'])
  const role = asString(message?.['role']) ?? asString(record?.['type'])
  if (record === undefined || message === undefined || (role !== 'user' && role !== 'assistant')) return undefined
  const isCutHere = cutAt[0] === 'message' && cutAt[1] === 'content'
  const content = saidIn(message['content'], isCutHere ? cutAt.slice(2) : null)
  if (content === undefined) return undefined
  const usage = asObject(message['usage'])
  return {
    ...without(record, cutAt[0]),
    type: role,
    message: {
      ...(cutAt[0] === 'message' ? without(message, cutAt[1]) : message),
      role,
      content,
      ...(role === 'assistant' && { usage: { input_tokens: 0, output_tokens: 0, ...usage } }),
    },
  }
}

function without(value: JsonObject, key: string | number | undefined): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}

/** `cutAt`: the way to the cut within the content; null where it is whole. */
function saidIn(content: unknown, cutAt: readonly (string | number)[] | null): unknown {
  if (typeof content === 'string') return cutAt === null ? content : nonEmpty(content)
  const blocks = asArray(content).flatMap((block, at) => {
    const value = asObject(block)
    if (value === undefined) return []
    return cutAt !== null && cutAt[0] === at ? cutBlock(value, cutAt.slice(1)) : [value]
  })
  return blocks.length > 0 ? blocks : undefined
}

/** A cut text without the half character at its end. */
function nonEmpty(text: string): string | undefined {
  const whole = text.replace(/\ufffd+$/, '')
  return whole.trim() === '' ? undefined : whole
}

function cutBlock(block: JsonObject, cutAt: readonly (string | number)[]): JsonObject[] {
  const whole = (name: string): string | undefined => (cutAt[0] === name ? undefined : asString(block[name]))
  switch (block['type']) {
    case 'text': {
      const text = nonEmpty(asString(block['text']) ?? '')
      return text === undefined ? [] : [{ type: 'text', text }]
    }
    case 'tool_use': {
      const [id, name] = [whole('id'), whole('name')]
      return id === undefined || name === undefined
        ? []
        : [{ type: 'tool_use', id, name, input: asObject(block['input']) ?? {} }]
    }
    case 'tool_result': {
      const id = whole('tool_use_id')
      const content = saidIn(block['content'], cutAt[0] === 'content' ? cutAt.slice(1) : null)
      return id === undefined || content === undefined ? [] : [{ ...without(block, cutAt[0]), content }]
    }
    default:
      return []
  }
}

const blockStart = /\{"(?:type":"(?:text|tool_use|tool_result)"|tool_use_id":)/g

/** The text of a prompt that is whole. */
function promptIn(text: string): string | undefined {
  const start = /"role":"user","content":(?=")/.exec(text)
  if (start === null) return undefined
  const { value, isWhole } = readLenient(text, start.index + start[0].length)
  return isWhole && typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** What only an answer has. */
const answerSigns = /"(?:type|role)":"assistant"|"stop_reason":|"requestId":|"id":"msg_/

/** A record without its beginning: whole blocks or a whole prompt, and what the end says of its place. */
function fromTail(text: string): JsonObject | undefined {
  const blocks: JsonObject[] = []
  let around = ''
  let end = 0
  blockStart.lastIndex = 0
  for (let start = blockStart.exec(text); start !== null; start = blockStart.exec(text)) {
    if (start.index < end) continue
    const { value, end: to, isWhole } = readLenient(text, start.index)
    if (!isWhole || !isObject(value)) continue
    blocks.push(value)
    around += text.slice(end, start.index)
    end = to
  }
  const tail = text.slice(end)
  around += tail
  const results = blocks.filter(({ type, tool_use_id: id }) => type === 'tool_result' && typeof id === 'string')
  const calls = blocks.filter(({ type, id }) => type === 'tool_use' && typeof id === 'string')
  const isAnswer =
    results.length === 0 && !around.includes('"toolUseResult"') && (calls.length > 0 || answerSigns.test(around))
  const said = isAnswer ? blocks.filter(({ type }) => type === 'tool_use' || type === 'text') : results
  const prompt = isAnswer || said.length > 0 ? undefined : promptIn(text)
  if (said.length === 0 && prompt === undefined) return undefined
  const id = /"id":"(msg_[^"\\]+)"/.exec(text)?.[1]
  const field = (name: string, inside: string): JsonObject => {
    const found = new RegExp(`"${name}":"([^"\\\\]+)"`).exec(inside)?.[1]
    return found === undefined ? {} : { [name]: found }
  }
  return {
    ...field('parentUuid', text),
    isSidechain: /"isSidechain":true/.test(text),
    type: isAnswer ? 'assistant' : 'user',
    message: {
      ...(id !== undefined && { id }),
      ...(isAnswer && { type: 'message', ...field('model', text) }),
      role: isAnswer ? 'assistant' : 'user',
      content: prompt ?? said,
      ...(isAnswer && { stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } }),
    },
    ...field('uuid', tail),
    ...field('timestamp', tail),
    ...field('sessionId', tail),
  }
}
