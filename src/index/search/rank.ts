// How good a hit is: how much a text is about the words, what kind of text it is, and how old. The numbers are written down
// in docs/search.md.

import type { EventKind } from '../../model/event.ts'
import { eventKinds } from '../../model/event.ts'
import { type TextField, textFields } from '../../session/indexed-texts.ts'
import type { Database } from '../store/port.ts'
import type { Branch, Candidate } from './candidates.ts'
import { newestText, type Place, readLists } from './facts.ts'
import { type Expression, type Term, toMatch } from './query.ts'

/** As in FTS5's bm25: how fast more of the same word stops to count, and how much the length of a text matters. */
const saturation = 1.2
const lengthWeight = 0.75

const fieldWeights: Record<TextField, number> = {
  text: 1.5,
  title: 2,
  thinking: 0.8,
  input: 0.8,
  output: 0.6,
  other: 0.5,
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

/** What is as old as this gets half of what being new adds. */
const halfAge = 30 * 86_400_000
const newWeight = 0.25

export function kindWeight({ kind, field }: Place): number {
  const name = textFields[field] ?? 'other'
  return fieldWeights[name] * (kindWeights[eventKinds[kind] ?? 'other'] ?? 1)
}

/** From 1 for what is very old to 1.25 for what was just said. */
export function ageWeight(at: number | null, now: number): number {
  if (at === null) return 1
  return 1 + newWeight / (1 + Math.max(0, now - at) / halfAge)
}

export interface Ranking {
  /** Milliseconds since 1970. */
  now: number
  /** Words in more texts than this are common. */
  common: number
}

/** Gives each candidate its score. */
export function rank(
  candidates: readonly Candidate[],
  branches: readonly Branch[],
  db: Database,
  { now, common }: Ranking,
): void {
  if (candidates.length === 0) return
  const terms = branches.map(branch => weighedTerms(branch, common, db))
  const exact = exactScores(
    db,
    terms.flatMap(({ exact }) => exact),
    candidates,
  )
  const sizes = terms.some(({ once }) => once.length > 0) ? sizesOf(db, candidates) : null
  const total = newestText(db)
  const weights = terms.map(({ once }) => once.reduce((sum, texts) => sum + rarity(texts, total), 0))
  for (const candidate of candidates) {
    const weight = weights[candidate.branch] ?? 0
    const shared = sizes === null || weight === 0 ? 0 : weight * sizes.once(candidate)
    const relevance = (exact.get(candidate.text) ?? 0) + shared
    candidate.score = relevance * kindWeight(candidate) * ageWeight(candidate.at, now)
  }
}

/** Those that a text should have. */
export function wantedTerms(expression: Expression): Term[] {
  return expression.type === 'term' ? [expression] : expression.of.flatMap(wantedTerms)
}

/** In how many texts, counted only as far as it matters. */
export function textsOf(db: Database, term: Term, most: number): number {
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)'
  return Number(db.prepare(sql).get([toMatch(term), most + 1])?.[0])
}

interface WeighedTerms {
  /** It is counted how often they stand in a text. */
  exact: Term[]
  /** In how many texts the others are: each counts as if it stood once in every text that was found. */
  once: number[]
}

function weighedTerms({ expression, texts, isAll }: Branch, common: number, db: Database): WeighedTerms {
  const found: WeighedTerms = { exact: [], once: [] }
  for (const term of wantedTerms(expression)) {
    const isKnown = term === expression && (texts <= common || term.words.length > 1 || term.isPrefix)
    const count = isKnown ? Math.min(texts, common + 1) : aboutTextsOf(term, isAll, common, db)
    if (count > common) {
      found.once.push(count)
    } else if (isQuick(term, common, db) || !isInAll(term, expression)) {
      found.exact.push(term)
    } else {
      found.once.push(count)
    }
  }
  return found
}

function isInAll(term: Term, expression: Expression): boolean {
  return term === expression || (expression.type === 'all' && expression.of.includes(term))
}

/** Whether FTS5 finds it without going through very many texts: of a phrase it goes through those of its rarest word. */
function isQuick({ text, words, isPrefix }: Term, common: number, db: Database): boolean {
  if (words.length === 1) return true
  return (isPrefix ? words.slice(0, -1) : words).some(
    word => textsOf(db, { type: 'term', text, words: [word], isPrefix: false }, common) <= common,
  )
}

/** So many of the latest texts tell how common a phrase is; to count it in all of them takes too long. */
const sample = 16_384

function aboutTextsOf(term: Term, isAll: boolean, common: number, db: Database): number {
  // Going through all words with a beginning takes too long to count their texts where there are many.
  if (term.isPrefix && !isAll) return common + 1
  if (term.words.length === 1) return textsOf(db, term, common)
  const newest = newestText(db)
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? AND rowid > ? LIMIT ?)'
  const count = Number(db.prepare(sql).get([toMatch(term), newest - sample, common + 1])?.[0])
  return Math.min(common + 1, Math.ceil((count * newest) / Math.min(newest, sample)))
}

function rarity(texts: number, total: number): number {
  return Math.max(1e-6, Math.log((total - texts + 0.5) / (texts + 0.5)))
}

/** By how often the words stand in a text. FTS5 goes through all texts of every word for it, so common ones are left out. */
function exactScores(db: Database, terms: readonly Term[], candidates: readonly Candidate[]): Map<number, number> {
  if (terms.length === 0) return new Map()
  const match = toMatch({ type: 'any', of: [...terms] })
  let [first, last] = [Number.POSITIVE_INFINITY, 0]
  for (const { text } of candidates) {
    first = Math.min(first, text)
    last = Math.max(last, text)
  }
  const sql = `SELECT rowid, bm25(words) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?`
  const rows = db.prepare(sql).all([match, first, last])
  return new Map(rows.map(([text, score]) => [Number(text), -Number(score)]))
}

/** Lengths of texts, in characters. */
class Sizes {
  private readonly sizes: ReadonlyMap<number, number>
  private readonly average: number

  constructor(sizes: ReadonlyMap<number, number>) {
    this.sizes = sizes
    let sum = 0
    for (const size of sizes.values()) sum += size
    this.average = Math.max(1, sum / Math.max(1, sizes.size))
  }

  /** What a word that stands there once adds, in parts of its rarity. */
  once({ text }: Candidate): number {
    const length = (this.sizes.get(text) ?? this.average) / this.average
    return (saturation + 1) / (1 + saturation * (1 - lengthWeight + lengthWeight * length))
  }
}

function sizesOf(db: Database, candidates: readonly Candidate[]): Sizes {
  const ids = JSON.stringify([...new Set(candidates.map(({ text }) => text))])
  const from = 'FROM json_each(?) j CROSS JOIN text t ON t.id = j.value'
  return new Sizes(new Map(readLists(db, ['t.id', 't.length'], from, [ids]) as [number, number][]))
}
