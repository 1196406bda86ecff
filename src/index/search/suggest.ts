// What to try when nothing was found: another spelling, fewer words, `grep`. It answers in words; nothing is searched again.

import { editSteps } from '../../base/edit-steps.ts'
import { foldWord } from '../../base/searchable.ts'
import type { Database } from '../store/port.ts'
import type { Term } from './expression.ts'
import type { SearchQuery } from './parse-query.ts'
import type { QueryProblem } from './problem.ts'
import { textsOf, wantedTerms } from './rank.ts'

/** Words that begin alike and are compared with a mistyped one. */
const mostCompared = 20_000

export function suggestionsFor(query: SearchQuery, db: Database): QueryProblem[] {
  const terms = query.expression === null ? [] : wantedTerms(query.expression)
  const hasFilters = Object.keys(query.filters).length > 0
  if (terms.length === 0) return hasFilters ? [hint('no-hits', 'nothing passes all these filters')] : []
  // Nothing was found: of a single word that is known already.
  const isAlone = terms.length === 1 && !hasFilters
  const missing = terms.filter(term => isAlone || textsOf(db, term, 1) === 0)
  const hints = missing.slice(0, 4).map(term => missingHint(term, db))
  if (missing.length > 0) return hints
  if (hasFilters && terms.length > 0) {
    return [hint('no-hits', 'the words are there, but not where all filters hold; try without one of them')]
  }
  if (terms.length > 1) {
    const words = terms.slice(0, 4).map(({ text }) => text)
    return [hint('never-together', `each word is there, but no text has all of them; try ${words.join(' OR ')}`)]
  }
  return []
}

function hint(code: string, message: string): QueryProblem {
  return { code, severity: 'info', message, from: 0, to: 0 }
}

function missingHint(term: Term, db: Database): QueryProblem {
  const [only, ...more] = term.words
  const [, name] = /^(\p{L}+):(?![/:\\])/u.exec(term.text) ?? []
  if (name !== undefined) {
    const message = `nothing has "${term.text}", and there is no filter ${name}:; clew search --help names those that there are`
    return hint('no-filter', message)
  }
  if (more.length > 0) {
    const message = `nothing has "${term.text}"; \`grep\` also finds it inside words and in what the index cut off`
    return hint('no-phrase', message)
  }
  const meant = only === undefined ? undefined : nearestWord(foldWord(only), db)
  if (meant === undefined) {
    const message = `nothing has ${term.text}; ${term.text}* finds longer words, \`grep\` also what is inside of words`
    return hint('no-word', message)
  }
  return { ...hint('spelling', `nothing has ${term.text}; did you mean ${meant}?`), instead: meant }
}

/** Of the words in the index that begin with the same two letters; the most frequent of the nearest. */
export function nearestWord(word: string, db: Database): string | undefined {
  if (word.length < 3 || word.length > 32) return undefined
  const begin = word.slice(0, 2)
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
  const sql = 'SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ?'
  let best: { word: string; steps: number; texts: number } | undefined
  for (const [term, texts] of db.prepare(sql).each([begin, `${begin}\uffff`, mostCompared])) {
    const text = String(term)
    if (Math.abs(text.length - word.length) > 2) continue
    const steps = editSteps(word, text)
    if (steps > (word.length < 6 ? 1 : 2)) continue
    const count = Number(texts)
    if (best === undefined || steps < best.steps || (steps === best.steps && count > best.texts)) {
      best = { word: text, steps, texts: count }
    }
  }
  return best?.word
}
