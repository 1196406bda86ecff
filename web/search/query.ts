// Filters in the text of a query, as chips set and take them away. What the whole language means, the server decides.

import { editSteps } from '../../src/base/edit-steps.ts'

/** Comparing takes the product of both lengths. */
const longestCompared = 80

/** Whether the query has this filter, as written. */
export function hasFilter(query: string, filter: string): boolean {
  return words(query).includes(filter)
}

/** The query with the filter, or without it where it had it. A filter that takes one value alone replaces its other one. */
export function toggleFilter(query: string, filter: string): string {
  const all = words(query)
  if (all.includes(filter)) return all.filter(word => word !== filter).join(' ')
  const name = filter.slice(0, filter.indexOf(':') + 1)
  const rest = name === 'since:' || name === 'until:' ? all.filter(word => !word.startsWith(name)) : all
  return [...rest, filter].join(' ')
}

/** What a query looks for, without its filters, exclusions and operators: for finding it in one session. */
export function plainWords(query: string): string {
  const wanted = words(query).filter(word => !/^(-|\(|\)|OR$|AND$|NOT$|[a-z]+:\S)/.test(word))
  return wanted.map(word => word.replace(/["*()]/g, '').trim()).join(' ')
}

/** The query with the word that a suggestion is most like replaced by it. */
export function withSuggestion(query: string, suggestion: string): string {
  const all = words(query)
  const meant = suggestion.toLowerCase()
  let nearest = -1
  let least = Number.POSITIVE_INFINITY
  all.forEach((word, at) => {
    const steps = editSteps(word.toLowerCase().slice(0, longestCompared), meant.slice(0, longestCompared))
    if (steps < least) [nearest, least] = [at, steps]
  })
  return nearest < 0 ? suggestion : all.with(nearest, suggestion).join(' ')
}

/** A filter's value as it is written: quoted where it has blanks. */
export function filterText(name: string, value: string): string {
  return /[\s"]/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`
}

/** Words of a query; a quoted phrase is one, also behind a filter's name. */
function words(query: string): string[] {
  return query.match(/[^\s"]*"[^"]*"?|\S+/g) ?? []
}
