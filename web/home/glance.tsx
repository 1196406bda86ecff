// Home's side notes: the usage of the last days, and what Claude Code will delete soon.

import { useEffect, useRef } from 'react'
import { countOf, countText, moneyText } from '../../src/base/format.ts'
import { totalTokens as tokensOf } from '../../src/model/usage.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { UsageAnswerJson } from '../../src/server/api/api.ts'
import { certaintyMarks, certaintyOf } from '../../src/view/words.ts'
import { ask } from '../api.ts'
import { useLive } from '../live.ts'
import { toneCount, toneStyle } from '../parts/tool-kind.ts'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { dayOf, deletionText, modelName, tokensText } from '../shell/format.ts'
import { useNow } from '../shell/sessions.ts'

export interface GlanceDay {
  day: string
  tokens: number
  costUSD: number
  /** Parts of the highest bar, by model; a model has the same tone on all days. */
  parts: { model: string; share: number; tone: number }[]
}

export interface Glance {
  days: GlanceDay[]
  today: number
  /** Of the last seven days. */
  week: number
  models: { model: string; costUSD: number; tone: number }[]
  /** `≥ ` or `≈ ` before costs that are a lower bound or an estimate; else empty. */
  mark: string
  /** Why they are. */
  note?: string
}

const namedModels = 4

/** `days`: those to show, the last one is today. */
export function glanceOf(usage: UsageAnswerJson, days: readonly string[]): Glance {
  const byDay = new Map(usage.rows.map(row => [row.key, row]))
  const models = modelTotals(usage)
  const toneOf = new Map(models.map(({ model }, at) => [model, Math.min(at, toneCount - 1)]))
  const highest = Math.max(1, ...usage.rows.map(row => row.totalTokens))
  const shown = days.map(day => {
    const row = byDay.get(day)
    const parts = (row?.modelBreakdowns ?? []).map(part => {
      const model = part.modelName
      return { model, share: tokensOf(part) / highest, tone: toneOf.get(model) ?? toneCount - 1 }
    })
    return {
      day,
      tokens: row?.totalTokens ?? 0,
      costUSD: row?.totalCost ?? 0,
      parts: parts.sort((a, b) => b.tone - a.tone),
    }
  })
  const named = models.slice(0, namedModels).map(one => ({ ...one, tone: toneOf.get(one.model) ?? 0 }))
  return {
    days: shown,
    today: shown.at(-1)?.costUSD ?? 0,
    week: shown.slice(-7).reduce((sum, one) => sum + one.costUSD, 0),
    models: named,
    ...boundsOf(usage),
  }
}

function modelTotals(usage: UsageAnswerJson): { model: string; costUSD: number }[] {
  const totals = new Map<string, number>()
  for (const { modelName, cost } of usage.rows.flatMap(row => row.modelBreakdowns))
    totals.set(modelName, (totals.get(modelName) ?? 0) + cost)
  return [...totals].map(([model, costUSD]) => ({ model, costUSD })).sort((one, other) => other.costUSD - one.costUSD)
}

function boundsOf({ bounds }: UsageAnswerJson): { mark: string; note?: string } {
  const { isEstimated, unknownModels, messagesWithPartialOutput: partial } = bounds
  const { cost } = certaintyOf({ isPartial: partial > 0, isEstimated, isUnpriced: unknownModels.length > 0 })
  const mark = certaintyMarks[cost]
  if (unknownModels.length > 0) return { mark, note: `No price is known for ${unknownModels.join(', ')}.` }
  if (isEstimated) return { mark, note: 'Output missing from the log is estimated.' }
  if (partial === 0) return { mark }
  const messages = countOf(partial, 'answer')
  return { mark, note: `${messages} logged before the end: output is a lower bound.` }
}

export const glanceDays = 14

/** `isDue`: nothing that people wait for more is under way. */
export function UsageGlance({ isDue }: { isDue: boolean }) {
  const now = useNow()
  const since = dayOf(now, glanceDays - 1)
  const usage = useAsync(
    async signal => (isDue ? ask('GET /api/usage', { by: 'daily', since }, { signal }) : undefined),
    [since, isDue],
  )
  useFresh(now, usage.reload)
  const glance = usage.value ? glanceOf(usage.value, daysBack(now)) : undefined
  return (
    <section className="glance" aria-label={`Usage of the last ${glanceDays} days`}>
      <h2 className="row-heading glance-heading">
        <Link className="glance-link" route={{ screen: 'usage', query: {} }}>
          Usage
        </Link>
        <span>{glanceDays} days</span>
      </h2>
      {usage.error ? (
        <p className="soft">Usage could not be counted: {usage.error.message}</p>
      ) : (
        <Bars glance={glance} />
      )}
      {glance ? <Figures glance={glance} /> : <div className="figures-place" />}
    </section>
  )
}

/** Asks again each minute in which something was written. */
function useFresh(now: number, reload: () => void): void {
  const { version } = useLive()
  const seen = useRef({ now, version })
  useEffect(() => {
    const { now: then, version: old } = seen.current
    if (now === then) return
    seen.current = { now, version }
    if (version !== old) reload()
  }, [now, version, reload])
}

function isNothing(glance: Glance): boolean {
  return glance.days.every(one => one.tokens === 0)
}

function daysBack(now: number): string[] {
  return Array.from({ length: glanceDays }, (_, at) => dayOf(now, glanceDays - 1 - at))
}

function Bars({ glance }: { glance: Glance | undefined }) {
  if (glance && isNothing(glance))
    return <p className="glance-bars glance-nothing">No usage in the last {glanceDays} days.</p>
  return (
    <ol className="glance-bars" data-waiting={glance === undefined}>
      {glance?.days.map(one => (
        <li key={one.day} className="glance-day" title={dayTitle(one, glance.mark)}>
          <span className="unseen">{dayTitle(one, glance.mark)}</span>
          {one.parts.map(({ model, share, tone }) => (
            <span key={model} className="glance-part" style={{ ...toneStyle(tone), height: `${share * 100}%` }} />
          ))}
        </li>
      ))}
    </ol>
  )
}

function dayTitle({ day, tokens, costUSD }: GlanceDay, mark: string): string {
  return tokens === 0 ? `${day}: nothing` : `${day}: ${tokensText(tokens)} tokens, ${mark}${moneyText(costUSD)}`
}

function Figures({ glance }: { glance: Glance }) {
  return (
    <>
      <dl className="figures">
        <div>
          <dt>Today</dt>
          <dd>
            {glance.mark}
            {moneyText(glance.today)}
          </dd>
        </div>
        <div>
          <dt>7 days</dt>
          <dd>
            {glance.mark}
            {moneyText(glance.week)}
          </dd>
        </div>
        {glance.models.map(({ model, costUSD, tone }) => (
          <div key={model} className="figure-model">
            <dt title={model}>
              <span className="swatch" style={toneStyle(tone)} />
              {modelName(model)}
            </dt>
            <dd>{moneyText(costUSD)}</dd>
          </div>
        ))}
      </dl>
      {glance.note === undefined ? null : <p className="glance-note">{glance.note}</p>}
    </>
  )
}

const shown = 4
/** The first to go are searched among this many. */
const looked = 200

/** From the list, which is fast whatever its length; the Archive screen looks at every file. */
async function askExpiring(signal: AbortSignal) {
  const count = async (is: string) => (await ask('GET /api/sessions', { is, limit: '1' }, { signal })).total
  const total = await count('expiring')
  if (total === 0) return { soon: [], total, unarchived: 0 }
  // Those that were not used for longest go first, and are last in the list.
  const offset = String(Math.max(0, total - looked))
  const [{ sessions }, unarchived] = await Promise.all([
    ask('GET /api/sessions', { is: 'expiring', offset, limit: String(looked) }, { signal }),
    count('expiring,unarchived'),
  ])
  const soon = sessions.sort((one, other) => (one.deletedOn ?? '').localeCompare(other.deletedOn ?? ''))
  return { soon: soon.slice(0, shown), total, unarchived }
}

export function ArchiveGlance() {
  const now = useNow()
  const { value } = useAsync(askExpiring, [])
  if (!value || value.total === 0) return null
  const { soon, total, unarchived } = value
  return (
    <section className="archive-glance" aria-label="Deleted soon">
      <h2 className="row-heading glance-heading">
        <Link className="glance-link" route={{ screen: 'archive', query: {} }}>
          Deleted soon
        </Link>
        <span>{countText(total)}</span>
      </h2>
      <ul>
        {soon.map(({ id, title, deletedOn, archived }) => (
          <li key={id}>
            <Link className="expiring-title" route={{ screen: 'transcript', session: id, query: {} }}>
              {visibleLine(title) || 'Untitled'}
            </Link>
            <span>
              <span className="row-gone">{deletionText(deletedOn, now)}</span> ·{' '}
              {archived ? 'archived' : 'not archived'}
            </span>
          </li>
        ))}
      </ul>
      <p className="glance-note">
        {unarchived === 0 ? 'All of them are archived.' : `${countOf(unarchived, 'session')} not archived yet.`}
      </p>
    </section>
  )
}
