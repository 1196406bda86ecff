// How good a hit is: how much a text is about the words, what kind of text it is, and how old. The numbers are in
// docs/search.md. It does not choose candidates.

import { type EventKind, eventKinds } from '../../model/event.ts'
import { type TextField, textFields } from '../../session/text-kinds.ts'
import type { Database } from '../store/port.ts'
import type { Branch, Candidate } from './candidates.ts'
import { newestText, type Place, readJson } from './facts.ts'
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

/** Gives each candidate its score. */
export function rank(
  candidates: readonly Candidate[],
  branches: readonly Branch[],
  db: Database,
  { now, common }: Ranking,
): void {
  if (candidates.length === 0) return
  const terms = branches.map(branch => splitTerms(branch, common, db))
  const ids = [...new Set(candidates.map(({ text }) => text))]
  const counted = countedScores(
    db,
    terms.flatMap(({ rare }) => rare),
    ids,
  )
  const once = terms.some(one => one.common.length > 0) ? onceScores(db, ids) : null
  const total = newestText(db)
  const weights = terms.map(one => one.common.reduce((sum, texts) => sum + rarity(texts, total), 0))
  for (const candidate of candidates) {
    const { text, branch, at } = candidate
    const shared = (weights[branch] ?? 0) * (once?.get(text) ?? 0)
    candidate.score = ((counted.get(text) ?? 0) + shared) * kindWeight(candidate) * ageWeight(at, now)
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

interface SplitTerms {
  /** FTS5 counts their occurrences in each text. */
  rare: Term[]
  /** In how many texts the others are: each counts as one occurrence in every text that was found. */
  common: number[]
}

function splitTerms({ expression, texts, isAll }: Branch, common: number, db: Database): SplitTerms {
  const found: SplitTerms = { rare: [], common: [] }
  for (const term of requiredTerms(expression)) {
    const { words, isPrefix } = term
    const isPlain = words.length === 1 && !isPrefix
    // To count all texts of a phrase or of a beginning takes too long where there are many.
    const count = isPlain ? textsOf(db, term, common) : isAll || term === expression ? texts : common + 1
    if (count <= common && (isPlain || isQuick(term, common, db))) found.rare.push(term)
    else found.common.push(count)
  }
  return found
}

/** Whether FTS5 finds it without going through very many texts: of a phrase it goes through those of its rarest word. */
function isQuick({ text, words, isPrefix }: Term, common: number, db: Database): boolean {
  if (words.length === 1) return true
  const whole = isPrefix ? words.slice(0, -1) : words
  return whole.some(word => textsOf(db, { type: 'term', text, words: [word], isPrefix: false }, common) <= common)
}

function rarity(texts: number, total: number): number {
  return Math.max(1e-6, Math.log((total - texts + 0.5) / (texts + 0.5)))
}

/** By the occurrences of words in a text. FTS5 goes through all texts of every word for it, so common ones are left out. */
function countedScores(db: Database, terms: readonly Term[], texts: readonly number[]): Map<number, number> {
  if (terms.length === 0) return new Map()
  const sql = `SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?`
  const range = [texts.reduce((a, b) => Math.min(a, b)), texts.reduce((a, b) => Math.max(a, b))]
  const rows = db.prepare(sql).all([toMatch({ type: 'any', of: [...terms] }), ...range])
  return new Map(rows as [number, number][])
}

/** What one occurrence of a word adds, in parts of its rarity: less in long texts. */
function onceScores(db: Database, texts: readonly number[]): Map<number, number> {
  const from = 'FROM json_each(?) j CROSS JOIN text t ON t.id = j.value'
  const lengths = readJson(db, 'json_array(t.id, t.length)', from, [JSON.stringify(texts)]) as [number, number][]
  const average = lengths.reduce((sum, [, length]) => sum + length, 0) / lengths.length
  const scoreOf = (length: number) =>
    (saturation + 1) / (1 + saturation * (1 - lengthWeight + (lengthWeight * length) / Math.max(1, average)))
  return new Map(lengths.map(([id, length]) => [id, scoreOf(length)]))
}
