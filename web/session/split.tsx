// A switch where the conversation split: the path that is read, and those that were left or gone on with.

import { visibleLine } from '../../src/render/safe-text.ts'
import { countOf } from '../../src/view/words.ts'
import { Icon } from '../parts/icon.tsx'
import { Link, useRoute } from '../route.ts'
import type { Fork } from './paths.ts'

export interface SplitProps {
  /** Those that begin here; the path gone on with is the one without a leaf in the address. */
  forks: readonly Fork[]
  chosen: string | undefined
  /** The first words of a path. */
  wordsOf(fork: Fork | undefined): string
}

export function Split({ forks, chosen, wordsOf }: SplitProps) {
  const isOther = forks.some(fork => fork.leaf === chosen)
  return (
    <nav className="split" aria-label="Paths of the conversation">
      <p>
        <Icon name="branch" /> The conversation split here
      </p>
      <ul>
        <li>
          <PathLink isChosen={!isOther} leaf="" words={wordsOf(undefined)} note="gone on with" />
        </li>
        {forks.map(fork => (
          <li key={fork.leaf}>
            <PathLink
              isChosen={fork.leaf === chosen}
              leaf={fork.leaf}
              words={fork.title ?? wordsOf(fork)}
              note={`left, ${countOf(fork.eventCount, 'event')}`}
            />
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface PathLinkProps {
  isChosen: boolean
  leaf: string
  words: string
  note: string
}

function PathLink({ isChosen, leaf, words, note }: PathLinkProps) {
  const route = useRoute()
  const { event: _, ...query } = route.query
  return (
    <Link route={{ ...route, query: { ...query, branch: leaf } }} {...(isChosen ? { 'aria-current': 'true' } : {})}>
      <span className="split-dot" aria-hidden="true" />
      <span className="split-words">{words === '' ? 'This path' : visibleLine(words)}</span>
      <span className="faint">{note}</span>
    </Link>
  )
}
