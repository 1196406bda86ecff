// Sessions on the Archive screen, one row each, with what can be done about them. A change is confirmed below its row.

import { type ReactNode, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import { countText } from '../../src/view/words.ts'
import { Link } from '../route.ts'
import { Confirm } from './confirm.tsx'
import type { Change } from './words.ts'

const firstRows = 40

export interface ArchiveRow {
  session: string
  title: string
  /** Shown after the title. */
  facts: ReactNode
  changes: Change[]
}

export interface ArchiveListProps {
  title: string
  note: string
  rows: readonly ArchiveRow[]
  empty: string
  /** Nothing can be changed. */
  isLocked: boolean
  done(words: string): void
}

export function ArchiveList({ title, note, rows, empty, isLocked, done }: ArchiveListProps) {
  const [opened, setOpened] = useState<Change>()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, firstRows)
  return (
    <section className="archive-list" aria-label={title}>
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
            opened={opened?.session === row.session ? opened : undefined}
            open={setOpened}
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
  row: ArchiveRow
  isLocked: boolean
  opened: Change | undefined
  open(change: Change | undefined): void
  done(words: string): void
}

const names = { restore: 'Restore…', forget: 'Forget…' } as const

function Row({ row, isLocked, opened, open, done }: RowProps) {
  return (
    <li>
      <div className="archive-row">
        <Link className="archive-title" route={{ screen: 'transcript', session: row.session, query: {} }}>
          {visibleLine(row.title)}
        </Link>
        <span className="archive-facts">{row.facts}</span>
        <span className="archive-actions">
          {isLocked
            ? null
            : row.changes.map(change => (
                <button
                  key={change.kind}
                  type="button"
                  className="archive-act"
                  aria-expanded={opened?.kind === change.kind}
                  onClick={() => open(opened?.kind === change.kind ? undefined : change)}
                >
                  {names[change.kind]}
                  <span className="unseen"> {visibleLine(row.title)}</span>
                </button>
              ))}
        </span>
      </div>
      {opened ? (
        <Confirm
          key={opened.kind}
          change={opened}
          cancel={() => open(undefined)}
          done={words => {
            open(undefined)
            done(words)
          }}
        />
      ) : null}
    </li>
  )
}
