// What can be chosen on the Usage screen: grouping, time, project, model, what is measured. Each choice is an address.

import type { ReactNode } from 'react'
import { ask as askServer } from '../api.ts'
import { useAsync } from '../reader.ts'
import { Link, navigate } from '../route.ts'
import { modelName, projectName } from '../shell/names.ts'
import { groupings, otherTime, ranges, sinceDay, type UsageAsk, withPart } from './asked.ts'

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
      return { projects: projects?.rows.map(({ key }) => key) ?? [], models: models?.rows.map(({ key }) => key) ?? [] }
    },
    [since, ask.until],
  )
  return (
    <div className="usage-filters">
      <Pick
        label="Project"
        all="All projects"
        value={ask.project}
        values={options.value?.projects ?? []}
        name={projectName}
        choose={project => navigate({ screen: 'usage', query: withPart(query, { project }) }, { replace: true })}
      />
      <Pick
        label="Model"
        all="All models"
        value={ask.model}
        values={options.value?.models ?? []}
        name={modelName}
        choose={model => navigate({ screen: 'usage', query: withPart(query, { model }) }, { replace: true })}
      />
      <Choice query={query} part={{ measure: 'cost' }} isOn={ask.measure === 'cost'}>
        Cost
      </Choice>
      <Choice query={query} part={{ measure: 'tokens' }} isOn={ask.measure === 'tokens'}>
        Tokens
      </Choice>
      <label className="usage-check">
        <input
          type="checkbox"
          checked={ask.isEstimated}
          onChange={event =>
            navigate(
              { screen: 'usage', query: withPart(query, { estimate: event.target.checked ? '1' : '' }) },
              { replace: true },
            )
          }
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
    <select className="usage-pick" aria-label={label} value={value} onChange={event => choose(event.target.value)}>
      <option value="">{all}</option>
      {known.map((one, at) => (
        <option key={one} value={one}>
          {names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '') ? names[at] : one}
        </option>
      ))}
    </select>
  )
}
