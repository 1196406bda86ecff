// Tokens and cost of the last fourteen days as small bars, by model. The Usage screen has the whole story.

import { useEffect, useRef } from 'react'
import { ask } from '../api.ts'
import { useLive } from '../live.ts'
import { useAsync } from '../reader.ts'
import { Link } from '../route.ts'
import { costText, modelName, tokensText } from '../shell/names.ts'
import { useNow } from '../shell/sessions.ts'
import { dayOf } from '../shell/when.ts'
import { type Glance, type GlanceDay, glanceOf } from './glance.ts'

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
  if (glance && isNothing(glance)) return <p className="glance-bars glance-nothing">Nothing was used lately.</p>
  return (
    <ol className="glance-bars" data-waiting={glance === undefined}>
      {glance?.days.map(one => (
        <li key={one.day} className="glance-day" title={dayTitle(one, glance.mark)}>
          <span className="unseen">{dayTitle(one, glance.mark)}</span>
          {one.parts.map(({ model, share, tone }) => (
            <span key={model} className={`glance-part tone-${tone}`} style={{ height: `${share * 100}%` }} />
          ))}
        </li>
      ))}
    </ol>
  )
}

function dayTitle({ day, tokens, costUSD }: GlanceDay, mark: string): string {
  return tokens === 0 ? `${day}: nothing` : `${day}: ${tokensText(tokens)} tokens, ${mark}${costText(costUSD)}`
}

function Figures({ glance }: { glance: Glance }) {
  return (
    <>
      <dl className="figures">
        <div>
          <dt>Today</dt>
          <dd>
            {glance.mark}
            {costText(glance.today)}
          </dd>
        </div>
        <div>
          <dt>7 days</dt>
          <dd>
            {glance.mark}
            {costText(glance.week)}
          </dd>
        </div>
        {glance.models.map(({ model, costUSD, tone }) => (
          <div key={model} className="figure-model">
            <dt title={model}>
              <span className={`swatch tone-${tone}`} />
              {modelName(model)}
            </dt>
            <dd>{costText(costUSD)}</dd>
          </div>
        ))}
      </dl>
      {glance.note === undefined ? null : <p className="glance-note">{glance.note}</p>}
    </>
  )
}
