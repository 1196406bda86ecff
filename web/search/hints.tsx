// What can be searched for, shown while nothing is: examples that can be clicked.

import { Link } from '../route.ts'

const examples: { query: string; says: string }[] = [
  { query: 'rounding invoice', says: 'both words, anywhere in one text' },
  { query: '"rounding error"', says: 'these words in a row' },
  { query: 'round*', says: 'words that begin so' },
  { query: 'login OR signup', says: 'one of them' },
  { query: 'cart -test', says: 'without a word' },
  { query: 'kind:prompt deploy', says: 'only what a person asked' },
  { query: 'tool:Bash npm', says: 'only commands and their output' },
  { query: 'is:error since:7d', says: 'what failed in the last seven days' },
  { query: 'file:cart.ts', says: 'events that touched a file' },
]

export function SearchHints() {
  return (
    <div className="hints">
      <h2 className="row-heading">Everything that was said, run and printed</h2>
      <ul>
        {examples.map(({ query, says }) => (
          <li key={query}>
            <TryQuery query={query} />
            <span className="soft">{says}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A query that is searched for when it is clicked. */
export function TryQuery({ query }: { query: string }) {
  return (
    <Link className="try mono" route={{ screen: 'search', query: { q: query } }}>
      {query}
    </Link>
  )
}
