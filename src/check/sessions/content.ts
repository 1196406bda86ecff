// Rules about the content of a single record or of the records of one API message: content forms, blocks, images, flags.
// Fields and block shapes as such are checked elsewhere.

import { asArray, asString, isObject, type JsonObject, jsonText } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { blocksOf, quote } from '../wire.ts'
import {
  indexFile,
  isSidechain,
  type Logged,
  messageIdOf,
  parentOf,
  placeIn,
  placeOf,
  textOf,
  uuidOf,
} from './facts.ts'

const messageTypes = new Set(['user', 'assistant', 'human', 'tool_result', 'compact_prelude', 'compact_recap'])

const contentStringOrArray: Rule = {
  code: 'content-string-or-array',
  record(facts, report) {
    const message = facts.value['message']
    if (!messageTypes.has(facts.record.type ?? '') || !isObject(message)) return
    const content = message['content']
    if (typeof content === 'string' || Array.isArray(content)) return
    report(`message.content is ${quote(content)}, neither a text nor a list of blocks.`, placeIn(facts))
  },
}

const assistantOneBlockPerLine: Rule = {
  code: 'assistant-one-block-per-line',
  record(facts, report) {
    const message = facts.value['message']
    if (facts.record.type !== 'assistant' || !isObject(message) || !Array.isArray(message['content'])) return
    const count = message['content'].length
    if (count !== 1) report(`The assistant record contains ${count} blocks.`, placeIn(facts))
  },
}

const parallelCallsOneLineEach: Rule = {
  code: 'parallel-calls-one-line-each',
  record(facts, report) {
    if (facts.record.type !== 'assistant') return
    const calls = blocksOf(facts.value).filter(block => block['type'] === 'tool_use').length
    if (calls > 1) report(`One assistant record contains ${calls} tool calls.`, placeIn(facts))
  },
}

const blockLinesShareMessageId: Rule = {
  code: 'block-lines-share-message-id',
  file(facts, report) {
    const groups = new Map<string, { usage: JsonObject; uuids: Set<string> }>()
    for (const each of answersIn(facts)) {
      const id = messageIdOf(each.value) ?? ''
      const usage = usageOf(each.value)
      const uuid = uuidOf(each.value)
      const group = groups.get(id) ?? { usage, uuids: new Set<string>() }
      groups.set(id, group)
      if (!isSame(group.usage, usage))
        report(`Its usage differs from that of an earlier record of message ${quote(id)}.`, placeOf(each))
      if (uuid !== undefined && group.uuids.has(uuid))
        report(`It has the uuid ${quote(uuid)} of another record of message ${quote(id)}.`, placeOf(each))
      if (uuid !== undefined) group.uuids.add(uuid)
    }
  },
}

const blockLinesChained: Rule = {
  code: 'block-lines-chained',
  file(facts, report) {
    const last = new Map<string, Logged>()
    for (const each of answersIn(facts)) {
      const id = messageIdOf(each.value) ?? ''
      const before = last.get(id)
      last.set(id, each)
      if (before === undefined || parentOf(each.value) === uuidOf(before.value)) continue
      const parent = quote(parentOf(each.value))
      report(`Its parent is ${parent}, not the record of message ${quote(id)} before it.`, placeOf(each))
    }
  },
}

/** The assistant records that belong to an API message, in file order. */
function answersIn(facts: Parameters<typeof indexFile>[0]): Logged[] {
  return indexFile(facts).logged.filter(
    ({ record, value }) => record.type === 'assistant' && messageIdOf(value) !== undefined,
  )
}

/** Empty where there is none: an answer is not said to share what only some of its lines have. */
function usageOf(value: JsonObject): JsonObject {
  const message = value['message']
  return isObject(message) && isObject(message['usage']) ? message['usage'] : {}
}

/** Compares two usages field by field; the order in which they are written does not count. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every(key => jsonText(a[key]) === jsonText(b[key]))
}

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/

/** Line breaks may divide it, and its padding may be left out; one character over a multiple of four codes nothing. */
function isBase64(text: string): boolean {
  const data = text.replace(/[\r\n]+/g, '')
  if (!base64Form.test(data)) return false
  return data.endsWith('=') ? data.length % 4 === 0 : data.length % 4 !== 1
}

const imageNotBase64: Rule = {
  code: 'image-not-base64',
  record(facts, report) {
    for (const image of imagesOf(facts.value)) {
      const source = isObject(image['source']) ? image['source'] : {}
      const flaw = imageFlaw(source)
      if (flaw !== undefined) report(`An image ${flaw}.`, placeIn(facts))
    }
  },
}

/** Images of the message and inside its tool results. */
function imagesOf(value: JsonObject): JsonObject[] {
  const blocks = blocksOf(value)
  const inner = blocks.flatMap(block => (block['type'] === 'tool_result' ? asArray(block['content']) : []))
  return [...blocks, ...inner].filter(isObject).filter(block => block['type'] === 'image')
}

function imageFlaw(source: JsonObject): string | undefined {
  const data = source['data']
  const media = asString(source['media_type']) ?? ''
  if (source['type'] !== 'base64') return `has ${quote(source['type'])} as source type, not "base64"`
  if (!media.startsWith('image/')) return `has the media type ${quote(source['media_type'])}`
  if (typeof data !== 'string' || !isBase64(data)) return `has data that is not base64: ${quote(data)}`
  return undefined
}

const toolArgumentsObject: Rule = {
  code: 'tool-arguments-object-s3',
  record(facts, report) {
    const given = facts.value['toolArguments']
    if (given !== undefined && !isObject(given))
      report(`toolArguments is ${quote(given)}, not an object.`, placeIn(facts))
  },
}

const metaCaveatUnflagged: Rule = {
  code: 'meta-caveat-unflagged',
  record(facts, report) {
    if (facts.record.type !== 'user' || facts.value['isMeta'] === true) return
    if (textOf(facts.value).trimStart().startsWith('Caveat: The messages below'))
      report('The caveat about local commands is not flagged isMeta.', placeIn(facts))
  },
}

const isSidechainOnMain: Rule = {
  code: 'is-sidechain-on-main',
  record(facts, report) {
    if (facts.value['isSidechain'] === false) report('A record outside sidechains has isSidechain.', placeIn(facts))
  },
}

const externalOutsideSidechain: Rule = {
  code: 'user-type-external-outside-sidechain',
  record(facts, report) {
    if (facts.value['userType'] === 'external' && !isSidechain(facts.value))
      report('userType is "external" on a record outside sidechains.', placeIn(facts))
  },
}

export const contentRules: readonly Rule[] = [
  contentStringOrArray,
  assistantOneBlockPerLine,
  parallelCallsOneLineEach,
  blockLinesShareMessageId,
  blockLinesChained,
  imageNotBase64,
  toolArgumentsObject,
  metaCaveatUnflagged,
  isSidechainOnMain,
  externalOutsideSidechain,
]
