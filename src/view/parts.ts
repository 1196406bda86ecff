// Parts of an item's body, made from text, JSON and blocks of the log. What a tool's own fields mean is decided elsewhere.

import { base64Size, textToBytes } from '../base/bytes.ts'
import { asNumber, asString, isObject, type JsonObject, jsonText } from '../base/json.ts'
import type { Block, MediaBlock } from '../model/event.ts'
import type { Badge, CodePart, FactsPart, MediaPart, TextPart, Tone, ViewPart } from './view.ts'
import { trimLines } from './words.ts'

export function badge(text: string, tone: Tone = 'quiet'): Badge {
  return { text, tone }
}

/** A text as it is; none where it is blank. */
export function textParts(text: string | undefined, tone: Tone = 'plain', label?: string): TextPart[] {
  const trimmed = trimLines(text ?? '')
  if (trimmed === '') return []
  const part: TextPart = { type: 'text', text: trimmed, tone }
  if (label !== undefined) part.label = label
  return [part]
}

export function foldedText(text: string | undefined, label?: string): TextPart[] {
  return textParts(text, 'quiet', label).map(part => ({ ...part, isFolded: true }))
}

export function markdownParts(text: string | undefined): ViewPart[] {
  const trimmed = trimLines(text ?? '')
  return trimmed === '' ? [] : [{ type: 'markdown', text: trimmed }]
}

export function codePart(text: string, language?: string): CodePart {
  const part: CodePart = { type: 'code', text: trimLines(text) }
  if (language !== undefined) part.language = language
  return part
}

/** Any JSON, hidden until asked for. */
export function foldedJson(value: unknown): CodePart {
  return { type: 'code', text: prettyJson(value), language: 'json', isFolded: true }
}

export function factsPart(facts: readonly (readonly [name: string, value: unknown])[]): FactsPart[] {
  const known = facts.flatMap(([name, value]) => {
    const text = valueText(value)
    return text === undefined ? [] : [{ name, value: text }]
  })
  return known.length === 0 ? [] : [{ type: 'facts', facts: known }]
}

/** A value in a word or line; undefined where there is nothing to say. */
export function valueText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'object' && Object.keys(value).length === 0) return undefined
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ')
  return jsonText(value)
}

const deepestIndent = 40

/** JSON over several lines; on one where it is nested so deep that the indentation would outweigh it. */
function prettyJson(value: unknown): string {
  return isDeep(value) ? jsonText(value) : (JSON.stringify(value, null, 2) ?? 'null')
}

function isDeep(root: unknown): boolean {
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (typeof item.value !== 'object' || item.value === null) continue
    if (item.depth > deepestIndent) return true
    for (const value of Object.values(item.value)) stack.push({ value, depth: item.depth + 1 })
  }
  return false
}

const longValue = 160

/** Fields of an object: short ones as facts, long texts each as a part of its own, nested values as JSON. */
export function fieldParts(fields: JsonObject, known: readonly string[] = []): ViewPart[] {
  const facts: [string, unknown][] = []
  const long: ViewPart[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (known.includes(name)) continue
    const text = valueText(value)
    if (text === undefined) continue
    if (text.length <= longValue && !text.includes('\n')) facts.push([name, text])
    else if (typeof value === 'string') long.push(...textParts(value, 'plain', name))
    else long.push(...textParts(isDeep(value) ? text : prettyJson(value), 'plain', name))
  }
  return [...factsPart(facts), ...long]
}

/** Text that is itself JSON gets a language; anything else stays as it is. */
export function resultParts(text: string, label?: string): ViewPart[] {
  const trimmed = trimLines(text)
  const looksJson = /^[[{]/.test(trimmed) && /[\]}]$/.test(trimmed)
  return looksJson ? [codePart(trimmed, 'json')] : textParts(trimmed, 'plain', label)
}

export function mediaPart(block: MediaBlock): MediaPart {
  const part: MediaPart = { type: 'media', media: block.type, mediaType: block.mediaType, bytes: block.bytes }
  if (block.data !== undefined) part.data = block.data
  return part
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+);base64,/

/** A shell prints an image as a `data:` address. */
export function mediaFromUrl(text: string): MediaPart | undefined {
  const found = dataUrl.exec(text.slice(0, 200))
  if (!found) return undefined
  const data = text.slice(found[0].length)
  return { type: 'media', media: 'image', mediaType: found[1] ?? 'image', bytes: base64Size(data), data }
}

/** All text of blocks, a line end between two. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** Images, documents and unknown blocks; text is shown by the caller, in the form that fits. */
export function partsAfterText(blocks: readonly Block[]): ViewPart[] {
  return blocks.flatMap((block): ViewPart[] => {
    if (block.type === 'image' || block.type === 'document') return [mediaPart(block)]
    if (block.type === 'other') return otherParts(block.raw)
    return []
  })
}

/** A block without a meaning of its own: search hits as name and address, output as text, else JSON. */
function otherParts(raw: unknown): ViewPart[] {
  if (typeof raw === 'string') return textParts(raw)
  if (!isObject(raw)) return raw === undefined || raw === null ? [] : [foldedJson(raw)]
  const address = asString(raw['url']) ?? asString(raw['source'])
  const title = asString(raw['title'])
  if (address !== undefined && title !== undefined) return factsPart([[title, address]])
  const tool = asString(raw['tool_name'])
  if (raw['type'] === 'tool_reference' && tool !== undefined) return factsPart([['tool', tool]])
  if (typeof raw['stdout'] === 'string' || typeof raw['stderr'] === 'string') {
    const code = asNumber(raw['return_code'])
    return [
      ...textParts(asString(raw['stdout']), 'plain', 'stdout'),
      ...textParts(asString(raw['stderr']), 'warn', 'stderr'),
      ...factsPart([['exit code', code]]),
    ]
  }
  const resource = isObject(raw['resource']) ? raw['resource'] : undefined
  const text = asString(resource?.['text'])
  if (text !== undefined) return textParts(text, 'plain', asString(resource?.['uri']))
  return [foldedJson(raw)]
}

interface Folded {
  /** The lines kept. Where lines are hidden, they are missing after the first `head` of these. */
  lines: string[]
  hiddenLines: number
  /** UTF-8 bytes of what is not shown. */
  hiddenBytes: number
}

/** `head`, `tail`: how many lines are kept from the beginning and from the end. */
export function foldText(text: string, { head, tail }: { head: number; tail: number }): Folded {
  const headEnd = endOfLines(text, head)
  const tailStart = startOfLines(text, tail, headEnd)
  const hidden = text.slice(headEnd, tailStart)
  const hiddenLines = hidden === '' ? 0 : countLines(hidden, tail === 0)
  // A note takes a line too: one hidden line is better shown.
  if (hiddenLines <= 1) return { lines: text.split('\n'), hiddenLines: 0, hiddenBytes: 0 }
  const lines = head === 0 ? [] : text.slice(0, headEnd - 1).split('\n')
  if (tail > 0) for (const line of text.slice(tailStart).split('\n')) lines.push(line)
  return { lines, hiddenLines, hiddenBytes: textToBytes(hidden).length }
}

/** Where the first `count` lines end, their line ends included. */
function endOfLines(text: string, count: number): number {
  let at = 0
  for (let line = 0; line < count; line++) {
    const next = text.indexOf('\n', at)
    if (next === -1) return text.length
    at = next + 1
  }
  return at
}

/** Where the last `count` lines begin, but not before `from`. */
function startOfLines(text: string, count: number, from: number): number {
  if (count === 0) return text.length
  let at = text.length
  for (let line = 0; line < count; line++) {
    const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (before < from) return from
    at = before
  }
  return at + 1
}

function countLines(hidden: string, reachesEnd: boolean): number {
  let count = reachesEnd ? 1 : 0
  for (let at = hidden.indexOf('\n'); at !== -1; at = hidden.indexOf('\n', at + 1)) count++
  return count
}
