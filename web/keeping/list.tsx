// Sessions on the Keeping screen, one row each, with what can be done about them. What is asked stands below its row.

import { type ReactNode, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { countText } from '../../src/view/words.ts'
import { Link } from '../route.ts'
import { Confirm } from './confirm.tsx'
import type { Change } from './words.ts'

const firstRows = 40

export interface KeepingRow {
  session: string
  title: string
  /** What is said behind the title. */
  facts: ReactNode
  changes: Change[]
}

export interface KeepingListProps {
  title: string
  note: string
  rows: readonly KeepingRow[]
  empty: string
  /** Nothing can be changed. */
  isLocked: boolean
  done(words: string): void
}

export function KeepingList({ title, note, rows, empty, isLocked, done }: KeepingListProps) {
  const [asked, setAsked] = useState<Change>()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, firstRows)
  return (
    <section className="keeping-list" aria-label={title}>
      <h2>
        {title} <span className="faint">{rows.length === 0 ? '' : countText(rows.length)}</span>
      </h2>
      <p className="soft">{rows.length === 0 ? empty : note}</p>
      <ul>
        {shown.map(row => (
          <Row
            key={row.session}
            row={row}
            isLocked={isLocked}
            asked={asked?.session === row.session ? asked : undefined}
            ask={setAsked}
            done={done}
          />
        ))}
      </ul>
      {shown.length < rows.length ? (
        <button type="button" className="button plain" onClick={() => setWhole(true)}>
          Show all {countText(rows.length)}
        </button>
      ) : null}
    </section>
  )
}

interface RowProps {
  row: KeepingRow
  isLocked: boolean
  asked: Change | undefined
  ask(change: Change | undefined): void
  done(words: string): void
}

const names = { restore: 'Restore…', forget: 'Forget…' } as const

function Row({ row, isLocked, asked, ask, done }: RowProps) {
  return (
    <li>
      <div className="keeping-row">
        <Link className="keeping-title" route={{ screen: 'transcript', session: row.session, query: {} }}>
          {visibleLine(row.title)}
        </Link>
        <span className="keeping-facts">{row.facts}</span>
        <span className="keeping-actions">
          {isLocked
            ? null
            : row.changes.map(change => (
                <button
                  key={change.kind}
                  type="button"
                  className="keeping-act"
                  aria-expanded={asked?.kind === change.kind}
                  onClick={() => ask(asked?.kind === change.kind ? undefined : change)}
                >
                  {names[change.kind]}
                  <span className="unseen"> {visibleLine(row.title)}</span>
                </button>
              ))}
        </span>
      </div>
      {asked ? (
        <Confirm
          key={asked.kind}
          change={asked}
          cancel={() => ask(undefined)}
          done={words => {
            ask(undefined)
            done(words)
          }}
        />
      ) : null}
    </li>
  )
}
