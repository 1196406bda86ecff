// How good a hit is: how much a text is about the words, what kind of text it is, and how old. The numbers are in
// docs/search.md. It does not choose candidates.

import { foldWord } from '../../base/searchable.ts'
import { type EventKind, eventKinds } from '../../model/event.ts'
import { type TextField, textFields } from '../../session/text-kinds.ts'
import type { Database } from '../store/port.ts'
import type { Branch, Candidate } from './candidates.ts'
import { type Place, readJson } from './facts.ts'
import { type Expression, type Term, toMatch } from './query.ts'

/** Of bm25: how fast more of the same word stops to count, and how much the length of a text matters. */
const saturation = 1.2
const lengthWeight = 0.75

const fieldWeights: Record<TextField, number> = {
  text: 1.5,
  title: 2,
  thinking: 0.8,
  input: 0.8,
  output: 0.6,
  other: 0.5,
  status: 0.3,
}
/** Of their texts; kinds that are not named here have 1. */
const kindWeights: Partial<Record<EventKind, number>> = {
  prompt: 1.4,
  'compact-summary': 1.2,
  delegation: 1.1,
  command: 1.1,
  queue: 0.7,
  notification: 0.7,
  'command-output': 0.7,
  attachment: 0.6,
  preserved: 0.6,
  hook: 0.5,
  notice: 0.5,
  meta: 0.5,
  history: 0.5,
  link: 0.5,
  other: 0.4,
}

/** The age at which the bonus for new texts is halved. */
const halfAge = 30 * 86_400_000
const newWeight = 0.25

function kindWeight({ kind, field }: Place): number {
  const name = textFields[field] ?? 'other'
  return fieldWeights[name] * (kindWeights[eventKinds[kind] ?? 'other'] ?? 1)
}

/** From 1 for what is very old to 1.25 for what was just said. */
function ageWeight(at: number | null, now: number): number {
  if (at === null) return 1
  return 1 + newWeight / (1 + Math.max(0, now - at) / halfAge)
}

export interface Ranking {
  /** Milliseconds since 1970. */
  now: number
  /** Words in more texts than this are common. */
  common: number
}

/** Gives candidates their scores, window by window: what it knows of the words is read once. */
export class Ranker {
  private readonly db: Database
  private readonly now: number
  private readonly terms: readonly (readonly WeighedTerm[])[]

  /** `branches`: those of the candidates. */
  constructor(db: Database, branches: readonly Branch[], { now, common }: Ranking) {
    this.db = db
    this.now = now
    const total = Number(db.prepare('SELECT count(*) FROM text').get()?.[0])
    this.terms = branches.map(branch => weighedTerms(branch, { common, total }, db))
  }

  /** The best first; equal ones stay in their order. */
  rank(window: Candidate[]): Candidate[] {
    const weights = lengthWeights(this.db, [...new Set(window.map(({ text }) => text))])
    for (const candidate of window) {
      const { text, branch, at } = candidate
      const weight = weights.get(text) ?? 1
      let relevance = 0
      for (const { rarity, times } of this.terms[branch] ?? []) {
        const found = times === null ? 1 : (times.get(text) ?? 0)
        relevance += (rarity * found * (saturation + 1)) / (found + saturation * weight)
      }
      candidate.score = relevance * kindWeight(candidate) * ageWeight(at, this.now)
    }
    return window.sort((one, other) => other.score - one.score)
  }
}

/** The terms that a text should contain; excluded ones are left out. */
export function requiredTerms(expression: Expression): Term[] {
  return expression.type === 'term' ? [expression] : expression.of.flatMap(requiredTerms)
}

/** In how many texts, counted only as far as it matters. */
export function textsOf(db: Database, term: Term, most: number): number {
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)'
  return Number(db.prepare(sql).get([toMatch(term), most + 1])?.[0])
}

interface WeighedTerm {
  rarity: number
  /** How often each text has it; null for a common one, which counts as once in every text that was found. */
  times: ReadonlyMap<number, number> | null
}

function weighedTerms(
  { expression, texts }: Branch,
  { common, total }: { common: number; total: number },
  db: Database,
): WeighedTerm[] {
  return requiredTerms(expression).map(term => {
    const { words, isPrefix } = term
    const isPlain = words.length === 1 && !isPrefix
    // To count all texts of a phrase of common words takes too long.
    const count =
      term === expression
        ? texts
        : isPlain
          ? textsOf(db, term, common)
          : isQuick(term, common, db)
            ? textsOf(db, term, common)
            : common + 1
    return { rarity: rarity(count, total), times: count <= common ? timesOf(db, term) : null }
  })
}

/** Whether FTS5 finds it without going through very many texts: of a phrase it goes through those of its rarest word. */
function isQuick({ words, isPrefix }: Term, common: number, db: Database): boolean {
  if (words.length === 1) return true
  const whole = isPrefix ? words.slice(0, -1) : words
  return whole.some(word => textsOf(db, wordTerm(word), common) <= common)
}

function wordTerm(word: string): Term {
  return { type: 'term', text: word, words: [word], isPrefix: false }
}

function rarity(texts: number, total: number): number {
  return Math.max(1e-6, Math.log((total - texts + 0.5) / (texts + 0.5)))
}

/** How often each text has a word, by FTS5's list of occurrences; a phrase counts once. */
function timesOf(db: Database, term: Term): Map<number, number> {
  const { words, parts, isPrefix } = term
  const times = new Map<number, number>()
  const [word = ''] = words
  if (words.length === 1) {
    const from = foldWord(word)
    const to = isPrefix ? `${from}\u{10ffff}` : from
    db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrence USING fts5vocab('main', 'words', 'instance')")
    const sql = 'SELECT doc, count(*) FROM temp.occurrence WHERE term >= ? AND term <= ? GROUP BY doc'
    for (const [text, count] of db.prepare(sql).each([from, to])) times.set(Number(text), Number(count))
  }
  if (words.length > 1 || parts !== undefined) {
    const once: Term = parts === undefined ? term : { ...wordTerm(word), words: parts }
    for (const [text] of db.prepare('SELECT rowid FROM words WHERE words MATCH ?').each([toMatch(once)])) {
      times.set(Number(text), (times.get(Number(text)) ?? 0) + 1)
    }
  }
  return times
}

/** How little an occurrence adds because of the length of its text: 1 in texts of average length, more in longer ones. */
function lengthWeights(db: Database, texts: readonly number[]): Map<number, number> {
  const from = 'FROM json_each(?) j CROSS JOIN text t ON t.id = j.value'
  const lengths = readJson(db, 'json_array(t.id, t.length)', from, [JSON.stringify(texts)]) as [number, number][]
  const average = Math.max(1, lengths.reduce((sum, [, length]) => sum + length, 0) / lengths.length)
  return new Map(lengths.map(([id, length]) => [id, 1 - lengthWeight + (lengthWeight * length) / average]))
}
