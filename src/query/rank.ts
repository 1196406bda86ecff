// How good a hit is: how much a text is about the words, what kind of text it is, and how old. The numbers are written down
// in docs/search.md.

import { type TextField, textFields } from '../analyze/indexed-texts.ts'
import type { Database } from '../indexer/port.ts'
import type { EventKind } from '../model/event.ts'
import { eventKinds } from '../model/event.ts'
import type { Candidate } from './candidates.ts'
import { type Expression, type Term, toMatch } from './expression.ts'
import { outputField, type Place, readLists } from './places.ts'

/** Words in what tools print count this much of a word elsewhere. */
const outputWeight = 0.6
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
  /** The candidates are all there are. */
  isAll: boolean
}

/** The score of each candidate, in their order. */
export function scoresOf(
  candidates: readonly Candidate[],
  branches: readonly Expression[],
  db: Database,
  { now, common, isAll }: Ranking,
): number[] {
  if (candidates.length === 0) return []
  const terms = branches.map(branch =>
    wantedTerms(branch).map(term => ({ term, texts: rankedAs(term, db, { isAll, common }) })),
  )
  const rare = terms.flat().filter(({ texts }) => texts <= common)
  const exact = exactScores(
    db,
    rare.map(({ term }) => term),
    candidates,
  )
  const sizes = terms.some(list => list.some(({ texts }) => texts > common)) ? sizesOf(db, candidates) : null
  const total = Number(db.prepare('SELECT count(*) FROM text').get()?.[0])
  const commonWeights = terms.map(list =>
    list.reduce((sum, { texts }) => (texts > common ? sum + rarity(texts, total) : sum), 0),
  )
  return candidates.map(candidate => {
    const weight = commonWeights[candidate.branch] ?? 0
    const shared = sizes === null || weight === 0 ? 0 : weight * sizes.once(candidate)
    const relevance = (exact.get(candidate.text) ?? 0) + shared
    return relevance * kindWeight(candidate) * ageWeight(candidate.at, now)
  })
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

/** Going through all words with a beginning takes too long to count their texts: then it counts as common. */
function rankedAs(term: Term, db: Database, { common, isAll }: Pick<Ranking, 'common' | 'isAll'>): number {
  if (term.isPrefix && !isAll) return common + 1
  return textsOf(db, term, common)
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
  const sql = `SELECT rowid, bm25(words, 1.0, ${outputWeight}) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?`
  const rows = db.prepare(sql).all([match, first, last])
  return new Map(rows.map(([text, score]) => [Number(text), -Number(score)]))
}

/** Lengths of texts, in words. */
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
  once({ text, field }: Candidate): number {
    const count = field === outputField ? outputWeight : 1
    const length = (this.sizes.get(text) ?? this.average) / this.average
    return (count * (saturation + 1)) / (count + saturation * (1 - lengthWeight + lengthWeight * length))
  }
}

/** FTS5 keeps them: for each text the number of words of each column, as numbers of seven bits a byte. */
function sizesOf(db: Database, candidates: readonly Candidate[]): Sizes {
  const ids = JSON.stringify([...new Set(candidates.map(({ text }) => text))])
  const sql =
    'SELECT json_array(d.id, hex(d.sz)) AS list FROM json_each(?) j CROSS JOIN words_docsize d ON d.id = j.value'
  const sizes = new Map<number, number>()
  for (const [id, hex] of readLists(db, sql, [ids])) sizes.set(Number(id), sumOf(String(hex)))
  return new Sizes(sizes)
}

function sumOf(hex: string): number {
  let [sum, number] = [0, 0]
  for (let at = 0; at < hex.length; at += 2) {
    const byte = Number.parseInt(hex.slice(at, at + 2), 16)
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    sum += number
    number = 0
  }
  return sum
}
