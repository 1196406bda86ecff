// The Usage screen: totals, a chart over time and a table, as `clew usage` counts them.

import { useEffect, useRef, useState } from 'react'
import { countText, moneyText } from '../../src/base/format.ts'
import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { ask as askServer } from '../api.ts'
import { type Column, Columns } from '../charts/charts.tsx'
import { useKeys } from '../keys.ts'
import { toneStyle } from '../parts/tool-kind.ts'
import { useAsync } from '../reader.ts'
import { Link, navigate, type Route, useRoute } from '../route.ts'
import { focusNth } from '../shell/focus.ts'
import { modelName, tokensText } from '../shell/format.ts'
import { useNow } from '../shell/sessions.ts'
import { Empty, Failure, Skeleton, Words } from '../shell/states.tsx'
import { Controls, groupings, isOfTime, questionOf, readAsk, type UsageAsk, withPart } from './controls.tsx'
import {
  columnsOf,
  dayName,
  legendOf,
  type Marks,
  marksOf,
  modelTones,
  nextOrder,
  notesOf,
  readOrder,
  sortedRows,
  type TableColumn,
  type TableOrder,
  type TableRow,
  tableColumns,
  tableRows,
} from './figures.ts'
import '../charts/charts.css'
import './usage.css'

type Query = Record<string, string>

export default function UsageScreen() {
  const { query } = useRoute()
  const now = useNow()
  const ask = readAsk(query)
  const question = questionOf(ask, now)
  const usage = useAsync(signal => askServer('GET /api/usage', question, { signal }), [JSON.stringify(question)])
  const answer = useLast(usage.value)
  useUsageKeys(ask, query)
  return (
    <div className="usage" aria-busy={usage.isLoading}>
      <Controls ask={ask} query={query} now={now} />
      {usage.error ? <Failure error={usage.error} title="Usage could not be read" retry={usage.reload} /> : null}
      {answer && !usage.error ? (
        <Answer key={answer.by} answer={answer} ask={ask} query={query} now={now} isOld={usage.isLoading} />
      ) : (
        <Skeleton rows={8} isWaiting={usage.isLoading} />
      )}
    </div>
  )
}

/** The last answer stays until the next is there: nothing flickers while one chooses. */
function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value)
  useEffect(() => {
    if (value !== undefined) last.current = value
  }, [value])
  return value ?? last.current
}

function useUsageKeys(ask: UsageAsk, query: Query): void {
  const go = (step: number) => {
    const at = groupings.findIndex(([by]) => by === ask.by)
    const next = groupings[(at + step + groupings.length) % groupings.length]
    if (next) navigate({ screen: 'usage', query: withPart(query, { by: next[0] }) }, { replace: true })
  }
  useKeys(
    {
      j: ['next grouping', () => go(1)],
      k: ['previous grouping', () => go(-1)],
      c: [
        'cost or tokens',
        () =>
          navigate(
            { screen: 'usage', query: withPart(query, { measure: ask.measure === 'cost' ? 'tokens' : 'cost' }) },
            { replace: true },
          ),
      ],
    },
    'Usage',
  )
}

interface AnswerProps {
  answer: UsageAnswerJson
  ask: UsageAsk
  query: Query
  now: number
  isOld: boolean
}

function Answer({ answer, ask, query, now, isOld }: AnswerProps) {
  if (answer.rows.length === 0) {
    return (
      <Empty title="No usage">
        <p>No messages match this time, project and model. Choose “All time”, or remove a filter.</p>
      </Empty>
    )
  }
  // While another grouping is on its way, rows are still those of the one before.
  const shown: UsageAsk = { ...ask, by: readAsk({ by: answer.by }).by }
  return (
    <div className="usage-answer" data-old={isOld}>
      <Totals answer={answer} />
      {isOfTime(shown.by) ? <TimeChart answer={answer} ask={shown} query={query} /> : null}
      <UsageTable answer={answer} rows={tableRows(answer, shown, now)} ask={shown} query={query} now={now} />
      <footer className="usage-notes">
        {notesOf(answer).map(note => (
          <p key={note}>
            <Words text={note} />
          </p>
        ))}
        <p>Prices of {dayName(answer.bounds.pricesDate)}. Every message counts once, wherever it was copied to.</p>
      </footer>
    </div>
  )
}

function Totals({ answer: { totals, bounds } }: { answer: UsageAnswerJson }) {
  const marks = marksOf(totals, bounds)
  const figures: [string, string][] = [
    ['Cost', `${marks.cost}${moneyText(totals.totalCost)}`],
    ['Tokens', `${marks.tokens}${countText(totals.totalTokens)}`],
    ['Input', countText(totals.inputTokens)],
    ['Output', `${marks.output}${countText(totals.outputTokens)}`],
    ['Cache write', countText(totals.cacheCreationTokens)],
    ['Cache read', countText(totals.cacheReadTokens)],
    ['Messages', countText(bounds.messages)],
  ]
  return (
    <dl className="usage-totals">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function TimeChart({ answer, ask, query }: { answer: UsageAnswerJson; ask: UsageAsk; query: Query }) {
  const isCost = ask.measure === 'cost'
  const text = isCost ? moneyText : tokensText
  const names = new Map(tableRows(answer, ask, 0).map(row => [row.key, row.name]))
  const nameOf = (column: Column) => names.get(column.key) ?? dayName(column.key, true)
  const mark = (column: Column) => {
    const row = answer.rows.find(({ key }) => key === column.key)
    const marks = row && marksOf(row, answer.bounds)
    return (isCost ? marks?.cost : marks?.output) ?? ''
  }
  return (
    <section className="usage-chart" aria-label={`${isCost ? 'Cost' : 'Tokens'} over time, by model`}>
      <Columns
        label={`${isCost ? 'Cost' : 'Tokens'} by time`}
        columns={columnsOf(answer, ask)}
        format={value => (isCost ? axisMoney(value) : tokensText(value))}
        saysPlain={column => `${nameOf(column)}: ${mark(column)}${text(column.total)}`}
        says={column => (
          <>
            <strong>{nameOf(column)}</strong>
            <span>
              {mark(column)}
              {text(column.total)}
            </span>
            {column.parts.map(({ name, value, tone }) => (
              <span key={name}>
                <i className="tone-dot" style={toneStyle(tone)} /> {modelName(name)} {text(value)}
              </span>
            ))}
          </>
        )}
        open={column => {
          if (ask.by !== 'daily') return
          navigate({ screen: 'usage', query: withPart(query, { by: 'session', since: column.key, until: column.key }) })
        }}
      />
      <ul className="usage-legend" aria-label="Models">
        {legendOf(modelTones(answer)).map(({ tone, name, title }) => (
          <li key={tone} title={title}>
            <i className="tone-dot" style={toneStyle(tone)} /> {name}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** An axis begins with nothing, and needs no cents where it speaks of dollars. */
function axisMoney(usd: number): string {
  if (Number.isInteger(usd)) return `$${countText(usd)}`
  return usd >= 0.1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`
}

const firstRows = 60

interface UsageTableProps {
  answer: UsageAnswerJson
  rows: readonly TableRow[]
  ask: UsageAsk
  query: Record<string, string>
  now: number
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

export function UsageTable({ answer, rows, ask, query, now }: UsageTableProps) {
  const [isWhole, setWhole] = useState(false)
  const order = readOrder(query['sort'])
  const sorted = sortedRows(rows, order, isOfTime(ask.by))
  const shown = isWhole ? sorted : sorted.slice(0, firstRows)
  const place = useRef<HTMLDivElement>(null)
  const showAll = () => {
    setWhole(true)
    focusNth(place.current, 'tbody tr', firstRows)
  }
  const many = groupings.find(([by]) => by === ask.by)?.[1].toLowerCase() ?? 'rows'
  return (
    <div ref={place}>
      <div className="usage-table">
        <table>
          <caption className="unseen">Usage by {single[ask.by].toLowerCase()}</caption>
          <thead>
            <tr>
              {tableColumns.map(([column, label]) => (
                <Head key={column} column={column} label={label || single[ask.by]} order={order} query={query} />
              ))}
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
      </div>
      <p className="usage-actions no-print">
        {shown.length < rows.length ? (
          <button type="button" className="button plain" onClick={showAll}>
            Show all {countText(rows.length)} {many}
          </button>
        ) : null}
        <DownloadCsv ask={ask} now={now} />
      </p>
    </div>
  )
}

interface HeadProps {
  column: TableColumn
  label: string
  order: TableOrder | undefined
  query: Query
}

function Head({ column, label, order, query }: HeadProps) {
  const isOn = order?.column === column
  const sort = isOn ? (order.isAscending ? 'ascending' : 'descending') : undefined
  const press = () =>
    navigate({ screen: 'usage', query: withPart(query, { sort: nextOrder(column, order) }) }, { replace: true })
  return (
    <th scope="col" {...(sort && { 'aria-sort': sort })}>
      <button type="button" className="usage-sort" onClick={press}>
        {label}
        <span aria-hidden="true">{isOn ? (order.isAscending ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  )
}

/** What the table shows as comma-separated values, as `clew usage --csv` prints them. */
function DownloadCsv({ ask, now }: { ask: UsageAsk; now: number }) {
  const [error, setError] = useState<Error>()
  const download = async () => {
    setError(undefined)
    try {
      const { text } = await askServer('GET /api/usage/csv', questionOf(ask, now))
      saveText(text, `clew-usage-${ask.by}.csv`)
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }
  return (
    <>
      <button type="button" className="button plain" onClick={download}>
        Download CSV
      </button>
      {error ? <span role="alert">{error.message}</span> : null}
    </>
  )
}

function saveText(text: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
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
  const { totalCost, totalTokens, inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens } = amounts
  return (
    <>
      <td>
        {marks.cost}
        {moneyText(totalCost)}
      </td>
      <td>
        {marks.tokens}
        {countText(totalTokens)}
      </td>
      <td>{countText(inputTokens)}</td>
      <td>
        {marks.output}
        {countText(outputTokens)}
      </td>
      <td>{countText(cacheCreationTokens)}</td>
      <td>{countText(cacheReadTokens)}</td>
    </>
  )
}
