// Phrases and words drawn from the texts of logs, each with the place that it was drawn from: what `search` must find. Texts of
// phrases are taken from the records as they are written, words from what `grep` looks into; neither by the code that chooses
// what is indexed.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { decodeText } from '../../src/decode/decode.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { Candidates } from '../../src/index/search/candidates.ts'
import { Facts, titleField } from '../../src/index/search/facts.ts'
import { Filter } from '../../src/index/search/filter.ts'
import { rowOf, usualBudget } from '../../src/index/search/hits.ts'
import { parseQuery } from '../../src/index/search/query.ts'
import type { EventKind } from '../../src/model/event.ts'
import { furtherTexts, shownTexts } from '../../src/session/event-texts.ts'
import { type BuiltIndex, testNow } from './build-index.ts'

export interface DrawnPhrase {
  /** As it is written in the text, in quotes. */
  query: string
  path: string
  offset: number
  session: string
  isOutput: boolean
}

interface Written {
  text: string
  path: string
  offset: number
  session: string
  isOutput: boolean
}

/** `count` phrases of 2 to 4 words, from texts chosen by a seeded generator; half of them from output of tools. */
export async function drawPhrases(roots: readonly string[], count: number, seed: number): Promise<DrawnPhrase[]> {
  const written = (await Promise.all(roots.map(textsIn))).flat()
  const random = generator(seed)
  const phrases: DrawnPhrase[] = []
  const [outputs, others] = [written.filter(one => one.isOutput), written.filter(one => !one.isOutput)]
  for (let tries = 0; phrases.length < count && tries < count * 20; tries++) {
    const list = tries % 2 === 0 ? outputs : others
    const { text, ...place } = list[Math.floor(random() * list.length)] as Written
    const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    const first = Math.floor(random() * Math.max(1, words.length - 4))
    const last = words[first + 1 + Math.floor(random() * 3)]
    if (last === undefined) continue
    const phrase = text.slice(words[first]?.index, last.index + last[0].length)
    // A quote would end the phrase; what is longer is cut.
    if (/["“”„]/.test(phrase) || phrase.length > 200) continue
    phrases.push({ query: `"${phrase}"`, ...place })
  }
  return phrases
}

/** Kinds that `grep` lists once a session and `search` once a file. */
const repeated: ReadonlySet<string> = new Set<EventKind>(['title', 'state', 'progress', 'queue'])

/** `count` words from what `grep` looks into, each kind of event as often as any other. */
export async function drawWords(roots: readonly string[], count: number, seed: number): Promise<DrawnPhrase[]> {
  const byKind = new Map<EventKind, [text: string, place: Omit<DrawnPhrase, 'query' | 'isOutput'>][]>()
  const { sessions } = await discoverAll(roots)
  for (const { id, logs } of sessions) {
    for (const { path } of logs) {
      const seen = new Set<string>()
      const { events } = decodeText(readFileSync(path), { session: id as string, file: path })
      for (const event of events) {
        const place = { path: resolve(path), offset: event.record.offset, session: id as string }
        for (const text of [...shownTexts(event).map(shown => shown.text), ...furtherTexts(event)]) {
          if (repeated.has(event.kind) && seen.has(text)) continue
          seen.add(text)
          const list = byKind.get(event.kind) ?? []
          byKind.set(event.kind, list)
          list.push([text, place])
        }
      }
    }
  }
  const random = generator(seed)
  const lists = [...byKind.values()]
  const words: DrawnPhrase[] = []
  for (let tries = 0; words.length < count && tries < count * 20; tries++) {
    const list = lists[tries % lists.length] as (typeof lists)[number]
    const [text, place] = list[Math.floor(random() * list.length)] as (typeof list)[number]
    const found = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    const word = found[Math.floor(random() * found.length)]?.[0]
    if (word !== undefined && word.length <= 200) words.push({ query: `"${word}"`, isOutput: false, ...place })
  }
  return words
}

async function discoverAll(roots: readonly string[]) {
  return { sessions: (await Promise.all(roots.map(root => discover(root)))).flatMap(({ sessions }) => sessions) }
}

async function textsIn(root: string): Promise<Written[]> {
  const { sessions } = await discover(root)
  const written: Written[] = []
  for (const { id, logs } of sessions) {
    for (const { path } of logs) {
      let offset = 0
      for (const line of readFileSync(path).toString('latin1').split('\n')) {
        const place = { path: resolve(path), offset, session: id as string }
        for (const [text, isOutput] of textsOf(line)) written.push({ text, isOutput, ...place })
        offset += line.length + 1
      }
    }
  }
  return written
}

/** The texts of a prompt or an answer, as the API has them. */
function textsOf(line: string): [text: string, isOutput: boolean][] {
  let record: { type?: string; message?: { content?: unknown } }
  try {
    record = JSON.parse(Buffer.from(line, 'latin1').toString())
  } catch {
    return []
  }
  const content = record.message?.content
  if (record.type !== 'user' && record.type !== 'assistant') return []
  if (typeof content === 'string') return [[content, false]]
  return (Array.isArray(content) ? content : []).flatMap((block): [string, boolean][] => {
    if (block?.type === 'tool_result') {
      const parts = Array.isArray(block.content) ? block.content : [{ text: block.content }]
      return parts.flatMap(({ text }: { text?: unknown }) => (typeof text === 'string' ? [[text, true]] : []))
    }
    const own = [block?.text, block?.thinking, ...Object.values(block?.type === 'tool_use' ? (block.input ?? {}) : {})]
    return own.flatMap(text => (typeof text === 'string' ? [[text, false]] : []))
  })
}

/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Phrases that are not found in the event and session that they were drawn from. */
export function missedPhrases({ db }: BuiltIndex, phrases: readonly DrawnPhrase[]): DrawnPhrase[] {
  const facts = new Facts(db)
  const filter = new Filter(db, {}, [])
  return phrases.filter(({ query, path, offset, session }) => {
    const parsed = parseQuery(query, { now: testNow, timezone: 'UTC' })
    if (parsed.expression === null) return true
    const found = new Candidates(parsed, filter, { ...usualBudget, window: 1e9 }).next()
    // A title is found in the session that it names.
    return !found.some(
      place =>
        (place.session === session || place.field === titleField) &&
        facts.fileOf(place)?.path === path &&
        rowOf(db, place.event)?.offset === offset,
    )
  })
}
