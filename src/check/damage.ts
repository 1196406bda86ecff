// Rules about damage that no specification speaks of and that a reader would not notice: bytes and values that are read in
// another way than they were written, and two programs that wrote one file. Their severities are in builtin.ts.

import { asObject, asString, type JsonObject } from '../base/json.ts'
import { hasMark } from '../model/record.ts'
import { believableCount } from '../model/usage.ts'
import {
  duplicateKey,
  interleavedWriters,
  loneSurrogate,
  nulBytes,
  secondResult,
  unbelievableCount,
} from './builtin.ts'
import type { FileFacts, Rule } from './rule.ts'
import {
  indexFile,
  isSidechain,
  type Logged,
  messageIdOf,
  parentOf,
  placeOf,
  type ResultBlock,
  uuidOf,
} from './sessions/facts.ts'
import { hasToolResult, quote } from './wire.ts'

const nulBytesRule: Rule = {
  code: nulBytes.code,
  line(record, _file, report) {
    if (!hasMark(record, 'nul') || (record.value === undefined && record.status !== 'blank')) return
    const what = record.value === undefined ? 'consists of NUL bytes' : 'has NUL bytes around its record'
    report(`Line ${record.line} ${what}.`, { record })
  },
}

const loneSurrogateRule: Rule = {
  code: loneSurrogate.code,
  record({ record, value }, report) {
    const text = findText(value, half => /\p{Surrogate}/u.test(half))
    if (text !== undefined)
      report(`A text contains half of a character: ${quote(text.replace(/\p{Surrogate}/gu, '\ufffd'))}.`, { record })
  },
}

const unbelievableCountRule: Rule = {
  code: unbelievableCount.code,
  record({ record, value }, report) {
    const usage = usageOf(value)
    const groups = [usage, asObject(usage?.['cache_creation']), asObject(usage?.['server_tool_use'])]
    const found = groups.flatMap(group => Object.entries(group ?? {})).filter(([, count]) => isTooLarge(count))
    if (found.length === 0) return
    const counts = found.map(([name, count]) => `${name} is ${count}`).join(', ')
    report(`message.usage states more than any message can have, which is not counted: ${counts}.`, { record })
  },
}

/** Of the record's message, or of the one that the progress of a subagent carries. */
function usageOf(value: JsonObject): JsonObject | undefined {
  const inner = value['type'] === 'progress' ? asObject(asObject(value['data'])?.['message']) : value
  return asObject(asObject(inner?.['message'])?.['usage'])
}

function isTooLarge(count: unknown): boolean {
  return typeof count === 'number' && count > 0 && believableCount(count) === undefined
}

/** The first text in a value, keys left out, of which a claim is true. Values nest deeper than a recursion could follow. */
function findText(root: unknown, isFound: (text: string) => boolean): string | undefined {
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && isFound(value)) return value
    if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) open.push(item)
  }
  return undefined
}

const duplicateKeyRule: Rule = {
  code: duplicateKey.code,
  text(text, record, report) {
    const key = repeatedKey(text)
    if (key !== undefined) report(`An object has the key ${quote(key)} twice; the last one counts.`, { record })
  },
}

/** A key that some object of a JSON text has twice. Of a text that is no JSON it says nothing of use, and never throws. */
export function repeatedKey(text: string): string | undefined {
  // The keys of the objects around the place; null for an array.
  const open: (Set<string> | null)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      const keys = isKey ? open.at(-1) : null
      const key = keys ? keyText(text.slice(at, end + 1)) : ''
      if (keys?.has(key)) return key
      keys?.add(key)
      isKey = false
      at = end
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null)
      isKey = character === '{'
    } else if (character === '}' || character === ']') {
      open.pop()
      isKey = false
    } else if (character === ',') {
      isKey = (open.at(-1) ?? null) !== null
    }
  }
  return undefined
}

/** Where a string that begins at `start` ends: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/** A key as it is read: `"a"` and `"\u0061"` are the same one. */
function keyText(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return asString(JSON.parse(quoted)) ?? quoted
  } catch {
    return quoted
  }
}

const secondResultRule: Rule = {
  code: secondResult.code,
  file(facts, report) {
    const first = new Map<string, ResultBlock>()
    for (const result of indexFile(facts).results) {
      const earlier = first.get(result.id)
      if (earlier === undefined) first.set(result.id, result)
      else if (!isCopy(earlier.from, result.from))
        report(
          `The call ${quote(result.id)} has a result on line ${earlier.from.record.line} already.`,
          placeOf(result.from),
        )
    }
  },
}

function isCopy(a: Logged, b: Logged): boolean {
  return a !== b && uuidOf(a.value) !== undefined && uuidOf(a.value) === uuidOf(b.value)
}

/** So often must the file go back to a line of the conversation that it had left: a person who rewinds goes back once. */
const fewestReturns = 2

/**
 * Two programs that write one file each follow their own line of the conversation, so that the file changes to and fro:
 *   prompt a, prompt b (both on the same answer), answer to a, answer to b, more of a, …
 */
const interleavedWritersRule: Rule = {
  code: interleavedWriters.code,
  file(facts, report) {
    const returns = returnsIn(facts)
    const [first] = returns
    if (first === undefined || returns.length < fewestReturns) return
    report(`From line ${first.record.line} on, records of two lines of the conversation alternate.`, placeOf(first))
  },
}

/** Where the file continues with a line of the conversation that it had left for another one. */
function returnsIn(facts: FileFacts): Logged[] {
  const { chain, byUuid } = indexFile(facts)
  const stepOf = new Map<Logged, Logged>()
  const lineOf = new Map<Logged, number>()
  const ends: Logged[] = []
  const returns: Logged[] = []
  let current = 0
  for (const each of chain) {
    const parent = byUuid.get(parentOf(each.value) ?? '')
    const above = parent === undefined ? undefined : stepOf.get(parent)
    if (isSidechain(each.value) || !isStep(each.value)) {
      // Results, attachments and the like belong to the step before them.
      if (above !== undefined) stepOf.set(each, above)
      continue
    }
    const step = above !== undefined && isSameMessage(above, each) ? above : each
    const lineAbove = above === undefined ? undefined : lineOf.get(above)
    const goesOn = step === above || (lineAbove !== undefined && ends[lineAbove] === above)
    const line = goesOn && lineAbove !== undefined ? lineAbove : ends.length
    if (line !== current && line < ends.length) returns.push(each)
    stepOf.set(each, step)
    lineOf.set(step, line)
    ends[line] = step
    current = line
  }
  return returns
}

/** A prompt or a part of an answer. */
function isStep(value: JsonObject): boolean {
  if (value['type'] === 'assistant') return true
  return value['type'] === 'user' && value['isMeta'] !== true && !hasToolResult(value)
}

function isSameMessage(a: Logged, b: Logged): boolean {
  const id = messageIdOf(a.value)
  return id !== undefined && id === messageIdOf(b.value)
}

export const damageRules: readonly Rule[] = [
  nulBytesRule,
  loneSurrogateRule,
  unbelievableCountRule,
  duplicateKeyRule,
  secondResultRule,
  interleavedWritersRule,
]
