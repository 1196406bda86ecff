// A list of things to do, or of choices, with what became of each.

import { visibleText } from '../../src/render/safe-text.ts'
import type { CheckListPart } from '../../src/view/view.ts'
import { keyed } from './keyed.ts'

const words = { open: 'open', active: 'in progress', done: 'done', dropped: 'dropped' } as const

export interface CheckListProps {
  items: CheckListPart['items']
  /** Options of a question: what is ticked was chosen. */
  isChoice?: boolean
}

export function CheckList({ items, isChoice = false }: CheckListProps) {
  return (
    <ul className={isChoice ? 'checklist is-choice' : 'checklist'}>
      {keyed(items).map(({ key, value: item }) => (
        <li key={key} data-state={item.state}>
          <Box state={item.state} />
          <span>
            <span className="unseen">
              {isChoice ? (item.state === 'done' ? 'chosen' : 'not chosen') : words[item.state]}:{' '}
            </span>
            {visibleText(item.text)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Box({ state }: { state: CheckListPart['items'][number]['state'] }) {
  return (
    <svg className="box" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <rect x="1.500" y="1.500" width="11" height="11" rx="3" />
      {state === 'done' ? <path d="m4 7.200 2.200 2.200L10.200 5" /> : null}
      {state === 'active' ? <circle cx="7" cy="7" r="2.200" /> : null}
      {state === 'dropped' ? <path d="M4 7h6" /> : null}
    </svg>
  )
}
