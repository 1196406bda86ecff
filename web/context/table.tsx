// What fills the window as a bar and a table: sorts of content, tools below what they answered.

import { visibleLine } from '../../src/render/safe-text.ts'
import type { ContextAt } from '../../src/view/reading.ts'
import { countText } from '../../src/view/words.ts'
import { Stack } from '../charts/charts.tsx'
import { tokensText } from '../shell/names.ts'
import { colourOf, type MakeUpShown, makeUpShown, type Sort, shareText, unlogged } from './steps.ts'

/** Tools beyond these share a row. */
const mostTools = 12

export interface MakeUpTableProps {
  context: ContextAt
  /** What the API counted with the answer that is looked at. */
  counted?: number
  /** Another place was chosen, and what fills the window there is not known yet. */
  isOld: boolean
}

export function MakeUpTable({ context, counted, isOld }: MakeUpTableProps) {
  const shown = makeUpShown(context, counted)
  return (
    <div className="make-up" data-old={isOld} aria-busy={isOld}>
      <p className="make-up-sum">
        <strong>
          {shown.isEstimated ? '≈ ' : ''}
          {countText(shown.used)}
        </strong>{' '}
        tokens
        {shown.window === undefined ? null : (
          <>
            {' '}
            of {countText(shown.window)} · {shareText(shown.used, shown.window)} full
          </>
        )}
      </p>
      {shown.window === undefined ? null : (
        <div className="make-up-gauge" aria-hidden="true">
          <span style={{ width: `${Math.min(100, (shown.used / shown.window) * 100)}%` }} />
        </div>
      )}
      <Stack
        label={`Make-up: ${shown.sorts.map(({ name, tokens }) => `${name} ${shareText(tokens, shown.whole)}`).join(', ')}`}
        whole={shown.whole}
        parts={shown.sorts.map(({ kind, name, tokens }) => ({
          key: kind,
          name: `${name}: ${tokensText(tokens)}`,
          value: tokens,
          colour: colourOf(kind),
        }))}
      />
      <Rows shown={shown} />
      <p className="make-up-note">
        ≈ is estimated from the length of the text.{' '}
        {shown.whole > shown.used
          ? `These estimates add up to ${countText(shown.whole)}, more than the API counted. `
          : null}
        {(counted ?? context.counted) === undefined ? 'This log contains no token count of the API.' : null}
        {shown.sorts.some(({ kind }) => kind === unlogged)
          ? 'What the API counted beyond the log is the system prompt and the tools’ definitions.'
          : null}
      </p>
    </div>
  )
}

function Rows({ shown }: { shown: MakeUpShown }) {
  return (
    <table className="make-up-table">
      <caption className="unseen">What fills the window</caption>
      <thead>
        <tr>
          <th scope="col">Content</th>
          <th scope="col" className="make-up-blocks">
            Blocks
          </th>
          <th scope="col">Tokens</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      {shown.sorts.map(sort => (
        <SortRows key={sort.kind} sort={sort} whole={shown.whole} />
      ))}
      {shown.free === undefined ? null : (
        <tbody>
          <tr className="make-up-free">
            <th scope="row">
              <i className="tone-dot fill-free" /> Free
            </th>
            <td className="make-up-blocks" />
            <td>{countText(shown.free)}</td>
            <td />
          </tr>
        </tbody>
      )}
    </table>
  )
}

function SortRows({ sort, whole }: { sort: Sort; whole: number }) {
  const tools = sort.tools.slice(0, mostTools)
  const others = sort.tools.slice(mostTools)
  const rest = others.reduce((sum, { tokens }) => sum + tokens, 0)
  return (
    <tbody>
      <tr>
        <th scope="row">
          <i className="tone-dot" style={{ background: colourOf(sort.kind) }} /> {sort.name}
        </th>
        <Numbers {...sort} whole={whole} />
      </tr>
      {tools.map(tool => (
        <tr key={tool.name} className="make-up-tool">
          <th scope="row">{visibleLine(tool.name)}</th>
          <Numbers {...tool} whole={whole} />
        </tr>
      ))}
      {others.length === 0 ? null : (
        <tr className="make-up-tool">
          <th scope="row">{others.length} other tools</th>
          <Numbers
            tokens={rest}
            blocks={others.reduce((sum, { blocks }) => sum + blocks, 0)}
            isEstimated
            whole={whole}
          />
        </tr>
      )}
    </tbody>
  )
}

interface NumbersProps {
  tokens: number
  blocks: number
  isEstimated: boolean
  whole: number
}

function Numbers({ tokens, blocks, isEstimated, whole }: NumbersProps) {
  return (
    <>
      <td className="make-up-blocks">{blocks === 0 ? '' : countText(blocks)}</td>
      <td>
        {isEstimated ? '≈ ' : ''}
        {countText(tokens)}
      </td>
      <td>{shareText(tokens, whole)}</td>
    </>
  )
}
