// The query of the Usage screen, which is in the address, and the controls that change it.

import type { ReactNode } from 'react'
import type { Routes } from '../../src/server/api/api.ts'
import { ask as askServer } from '../api.ts'
import { useAsync } from '../reader.ts'
import { Link, navigate } from '../route.ts'
import { dayOf, modelName } from '../shell/format.ts'
import { keyed } from '../shell/sessions.ts'

interface ControlsProps {
  ask: UsageAsk
  query: Record<string, string>
  now: number
}

export function Controls({ ask, query, now }: ControlsProps) {
  return (
    <div className="usage-controls no-print">
      <Choices label="Grouped by">
        {groupings.map(([by, label]) => (
          <Choice key={by} query={query} part={{ by }} isOn={ask.by === by}>
            {label}
          </Choice>
        ))}
      </Choices>
      <Choices label="Time">
        {ranges.map(([since, label]) => (
          <Choice key={since} query={query} part={{ since, until: '' }} isOn={ask.since === since && ask.until === ''}>
            {label}
          </Choice>
        ))}
        <OtherTime ask={ask} query={query} />
      </Choices>
      <Filters ask={ask} query={query} now={now} />
    </div>
  )
}

function Choices({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="usage-chips" aria-label={label}>
      {children}
    </nav>
  )
}

interface ChoiceProps {
  query: Record<string, string>
  part: Partial<Record<string, string>>
  isOn: boolean
  children: ReactNode
}

function Choice({ query, part, isOn, children }: ChoiceProps) {
  return (
    <Link
      className="chip"
      replace
      route={{ screen: 'usage', query: withPart(query, part) }}
      {...(isOn && { 'aria-current': true as const })}
    >
      {children}
    </Link>
  )
}

/** A time that an address names and no chip does. */
function OtherTime({ ask, query }: Omit<ControlsProps, 'now'>) {
  const text = otherTime(ask)
  if (text === undefined) return null
  return (
    <Choice query={query} part={{ since: '', until: '' }} isOn>
      {text} <span aria-hidden="true">×</span>
      <span className="unseen">, remove</span>
    </Choice>
  )
}

function Filters({ ask, query, now }: ControlsProps) {
  const since = sinceDay(ask.since, now)
  const time = { ...(since !== '' && { since }), ...(ask.until !== '' && { until: ask.until }) }
  const options = useAsync(
    async signal => {
      const [projects, models] = await Promise.all(
        ['project', 'model'].map(by => askServer('GET /api/usage', { by, ...time }, { signal })),
      )
      const names = new Map(projects?.rows.map(({ key, label }) => [key, label]))
      return { names, models: models?.rows.map(({ key }) => key) ?? [] }
    },
    [since, ask.until],
  )
  const choose = (part: Parameters<typeof withPart>[1]) =>
    navigate({ screen: 'usage', query: withPart(query, part) }, { replace: true })
  return (
    <div className="usage-filters">
      <Pick
        label="Project"
        all="All projects"
        value={ask.project}
        values={[...(options.value?.names.keys() ?? [])]}
        name={project => options.value?.names.get(project) ?? project}
        choose={project => choose({ project })}
      />
      <Pick
        label="Model"
        all="All models"
        value={ask.model}
        values={options.value?.models ?? []}
        name={modelName}
        choose={model => choose({ model })}
      />
      <span className="usage-measure">
        <Choice query={query} part={{ measure: 'cost' }} isOn={ask.measure === 'cost'}>
          Cost
        </Choice>
        <Choice query={query} part={{ measure: 'tokens' }} isOn={ask.measure === 'tokens'}>
          Tokens
        </Choice>
      </span>
      <label className="usage-check">
        <input
          type="checkbox"
          checked={ask.isEstimated}
          onChange={event => choose({ estimate: event.target.checked ? '1' : '' })}
        />
        Estimate missing output
      </label>
    </div>
  )
}

interface PickProps {
  label: string
  all: string
  value: string
  values: readonly string[]
  name(value: string): string
  choose(value: string): void
}

function Pick({ label, all, value, values, name, choose }: PickProps) {
  const known = value === '' || values.includes(value) ? values : [value, ...values]
  const names = known.map(name)
  return (
    <select className="pick" aria-label={label} value={value} onChange={event => choose(event.target.value)}>
      <option value="">{all}</option>
      {known.map((one, at) => (
        <option key={one} value={one}>
          {names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '') ? names[at] : one}
        </option>
      ))}
    </select>
  )
}

export const groupings = [
  ['daily', 'Days'],
  ['weekly', 'Weeks'],
  ['monthly', 'Months'],
  ['blocks', 'Blocks'],
  ['model', 'Models'],
  ['project', 'Projects'],
  ['session', 'Sessions'],
  ['tool', 'Tools'],
  ['subagent', 'Subagents'],
] as const

export type Grouping = (typeof groupings)[number][0]

export const ranges = [
  ['', 'All time'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const

export interface UsageAsk {
  by: Grouping
  /** `7d`: the last seven days with today; a day; empty: from the beginning. */
  since: string
  until: string
  project: string
  model: string
  isEstimated: boolean
  measure: 'cost' | 'tokens'
}

type Query = Record<string, string>

export function readAsk(query: Query): UsageAsk {
  const by = groupings.find(([name]) => name === query['by'])?.[0] ?? 'daily'
  return {
    by,
    since: query['since'] ?? '',
    until: query['until'] ?? '',
    project: query['project'] ?? '',
    model: query['model'] ?? '',
    isEstimated: query['estimate'] === '1',
    measure: query['measure'] === 'tokens' ? 'tokens' : 'cost',
  }
}

/** The address with one choice changed; defaults are left out. */
export function withPart(query: Query, part: Partial<Record<string, string>>): Query {
  const next: Query = { ...query }
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined || value === '') delete next[name]
    else next[name] = value
  }
  if (next['by'] === 'daily') delete next['by']
  if (next['measure'] === 'cost') delete next['measure']
  return next
}

/** The question to the server. A span of days begins at midnight, as `clew usage --last` has it. */
export function questionOf(ask: UsageAsk, now: number): Routes['GET /api/usage']['query'] {
  const { by, project, model, until, isEstimated } = ask
  const since = sinceDay(ask.since, now)
  return {
    by,
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
    ...(project !== '' && { project: keyed(project) }),
    ...(model !== '' && { model }),
    ...(isEstimated && { estimate: '1' }),
  }
}

export function sinceDay(since: string, now: number): string {
  const days = /^(\d{1,4})d$/.exec(since)?.[1]
  return days === undefined ? since : dayOf(now, Math.max(0, Number(days) - 1))
}

/** A time that no chip names, in words; undefined where one does. */
export function otherTime({ since, until }: UsageAsk): string | undefined {
  if (until === '') return ranges.some(([range]) => range === since) ? undefined : `since ${since}`
  if (since === until) return `on ${since}`
  return since === '' ? `until ${until}` : `${since} to ${until}`
}

/** Whether rows are stretches of time, and so a chart of columns. */
export function isOfTime(by: Grouping): boolean {
  return by === 'daily' || by === 'weekly' || by === 'monthly' || by === 'blocks'
}
