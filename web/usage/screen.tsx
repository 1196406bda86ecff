// Usage: tokens and cost by days, models, projects, sessions, tools, subagents and blocks. The numbers are those of
// `clew usage`; what is a bound or an estimate says so.

import { useEffect, useRef } from 'react'
import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { countText } from '../../src/view/words.ts'
import { ask as askServer } from '../api.ts'
import { type Column, Columns } from '../charts/charts.tsx'
import { useKeys } from '../keys.ts'
import { toneStyle } from '../parts/tool-kind.ts'
import { useAsync } from '../reader.ts'
import { navigate, useRoute } from '../route.ts'
import { modelName, tokensText } from '../shell/names.ts'
import { useNow } from '../shell/sessions.ts'
import { Empty, Failure, Skeleton, Words } from '../shell/states.tsx'
import { groupings, isOfTime, questionOf, readAsk, type UsageAsk, withPart } from './asked.ts'
import { Controls } from './controls.tsx'
import { columnsOf, dayName, legendOf, marksOf, modelTones, moneyText, notesOf, tableRows } from './figures.ts'
import { UsageTable } from './table.tsx'
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
      <UsageTable answer={answer} rows={tableRows(answer, shown, now)} ask={shown} query={query} />
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
    ['Cost', `${marks.cost}${moneyText(totals.costUSD)}`],
    ['Tokens', `${marks.output}${countText(totals.totalTokens)}`],
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
  if (Number.isInteger(usd)) return `$${usd.toLocaleString('en-US')}`
  return usd >= 0.1 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`
}
