// Rows of usage with their numbers, and a bar for how they compare: chart and table in one.

import { useState } from 'react'
import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { countText } from '../../src/view/words.ts'
import { Link, type Route } from '../route.ts'
import { groupings, type UsageAsk, withPart } from './asked.ts'
import { type Marks, marksOf, moneyText, type TableRow } from './figures.ts'

const firstRows = 60

interface UsageTableProps {
  answer: UsageAnswerJson
  rows: readonly TableRow[]
  ask: UsageAsk
  query: Record<string, string>
}

const single: Record<UsageAsk['by'], string> = {
  daily: 'Day',
  weekly: 'Week',
  monthly: 'Month',
  blocks: 'Block of five hours',
  model: 'Model',
  project: 'Project',
  session: 'Session',
  tool: 'Tool',
  subagent: 'Subagent',
}

export function UsageTable({ answer, rows, ask, query }: UsageTableProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, firstRows)
  const many = groupings.find(([by]) => by === ask.by)?.[1].toLowerCase() ?? 'rows'
  return (
    <div className="usage-table">
      <table>
        <caption className="unseen">Usage by {single[ask.by].toLowerCase()}</caption>
        <thead>
          <tr>
            <th scope="col">{single[ask.by]}</th>
            <th scope="col">Cost</th>
            <th scope="col">Tokens</th>
            <th scope="col" className="usage-detail">
              Input
            </th>
            <th scope="col" className="usage-detail">
              Output
            </th>
            <th scope="col" className="usage-detail">
              Cache write
            </th>
            <th scope="col" className="usage-detail">
              Cache read
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(row => (
            <Row key={row.key} row={row} ask={ask} query={query} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <Numbers amounts={answer.totals} marks={marksOf(answer.totals, answer.bounds)} />
          </tr>
        </tfoot>
      </table>
      {shown.length < rows.length ? (
        <button type="button" className="button plain" onClick={() => setWhole(true)}>
          Show all {countText(rows.length)} {many}
        </button>
      ) : null}
    </div>
  )
}

function Row({ row, ask, query }: { row: TableRow; ask: UsageAsk; query: Record<string, string> }) {
  const route = routeOf(row, ask, query)
  return (
    <tr>
      <th scope="row" title={row.title}>
        <span className="usage-name">
          {route ? <Link route={route}>{row.name}</Link> : row.name}
          {row.isRunning ? <span className="usage-running">running</span> : null}
        </span>
        <span className="usage-bar" aria-hidden="true">
          <span style={{ width: `${row.share * 100}%` }} />
        </span>
      </th>
      <Numbers amounts={row} marks={row.marks} />
    </tr>
  )
}

/** Where a row leads: to its session, or to the days of what it names. */
function routeOf({ key }: TableRow, { by }: UsageAsk, query: Record<string, string>): Route | undefined {
  if (key === '' || key.startsWith('(')) return undefined
  if (by === 'session') return { screen: 'transcript', session: key, query: {} }
  if (by === 'model') return { screen: 'usage', query: withPart(query, { by: 'daily', model: key }) }
  if (by === 'project') return { screen: 'usage', query: withPart(query, { by: 'session', project: key }) }
  if (by === 'daily' && /^\d{4}-\d\d-\d\d$/.test(key)) {
    return { screen: 'usage', query: withPart(query, { by: 'session', since: key, until: key }) }
  }
  return undefined
}

type Amounts = UsageAnswerJson['totals']

function Numbers({ amounts, marks }: { amounts: Amounts; marks: Marks }) {
  const { costUSD, totalTokens, inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } = amounts
  return (
    <>
      <td>
        {marks.cost}
        {moneyText(costUSD)}
      </td>
      <td>
        {marks.output}
        {countText(totalTokens)}
      </td>
      <td className="usage-detail">{countText(inputTokens)}</td>
      <td className="usage-detail">
        {marks.output}
        {countText(outputTokens)}
      </td>
      <td className="usage-detail">{countText(cacheCreationTokens)}</td>
      <td className="usage-detail">{countText(cacheReadTokens)}</td>
    </>
  )
}
