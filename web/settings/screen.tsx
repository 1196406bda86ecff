// The Settings screen: what `clew config` shows and changes, as far as the app may. Each change is stored at once; what a
// value means is decided by the server.

import { type ReactNode, useRef, useState } from 'react'
import type { SettingsAnswer, Theme } from '../../src/server/api/api.ts'
import { ApiError, ask } from '../api.ts'
import { unchosenText } from '../archive/words.ts'
import { useAsync } from '../reader.ts'
import { focusNth } from '../shell/focus.ts'
import { setTimezone } from '../shell/format.ts'
import { Failure, Skeleton, Words } from '../shell/states.tsx'
import { applyTheme } from '../theme.ts'
import './settings.css'

type Change = (key: string, value: string) => Promise<void>

export default function SettingsScreen() {
  const loaded = useAsync(signal => ask('GET /api/settings', {}, { signal }), [])
  const [changed, setChanged] = useState<SettingsAnswer>()
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>()
  const settings = changed ?? loaded.value
  const change: Change = async (key, value) => {
    try {
      const answer = await ask('POST /api/settings', { key, value })
      setChanged(answer)
      applyTheme(answer.theme)
      setTimezone(answer.timezone ?? answer.machineTimezone)
      setSaid({ text: 'Saved.', isBad: false })
    } catch (error) {
      const hint = error instanceof ApiError && error.hint ? ` ${error.hint}` : ''
      setSaid({ text: `${error instanceof Error ? error.message : String(error)}${hint}`, isBad: true })
    }
  }
  if (loaded.error) {
    return <Failure error={loaded.error} title="The settings could not be read" retry={loaded.reload} />
  }
  return (
    <div className="settings" aria-busy={loaded.isLoading}>
      {settings ? <Content settings={settings} change={change} /> : <Skeleton rows={6} isWaiting={loaded.isLoading} />}
      <p className="settings-said" role="status" data-bad={said?.isBad}>
        {said ? <Words text={said.text} /> : ''}
      </p>
    </div>
  )
}

function Content({ settings, change }: { settings: SettingsAnswer; change: Change }) {
  return (
    <fieldset className="settings-all" disabled={settings.isReadOnly}>
      <legend className="unseen">Settings</legend>
      {settings.isReadOnly ? (
        <p className="settings-lock">
          <Words text="This page is read-only. Use `clew config` in a terminal to make changes." />
        </p>
      ) : null}
      <Setting title="Appearance" note="Colours of this app.">
        <Radios name="theme" value={settings.theme} choices={themes} change={value => change('theme', value)} />
      </Setting>
      <Setting title="Time zone" note="Of all times and days, here and in the terminal.">
        <TimezonePick settings={settings} change={change} />
      </Setting>
      <Setting
        title="Archive"
        note="Claude Code deletes old sessions. Archived copies stay readable; Claude Code’s own files are not touched."
      >
        <Radios
          name="archive"
          value={settings.archive.isChosen ? settings.archive.mode : ''}
          choices={modes}
          change={value => change('archive', value)}
        />
        {settings.archive.isChosen ? null : <p className="soft">{unchosenText(settings.archive.mode)}</p>}
      </Setting>
      <Setting title="Not archived" note="Projects whose sessions are not copied. What is archived already stays.">
        <Excluded settings={settings} change={change} />
      </Setting>
      <p className="settings-note">
        <Words text="Stored in Clew’s own folder. `clew config` shows and changes the same settings, and more." />
      </p>
    </fieldset>
  )
}

const themes: [Theme, string][] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]
const modes: [SettingsAnswer['archive']['mode'], string][] = [
  ['auto', 'On: whatever reads sessions archives what is new'],
  ['manual', 'On request: “Archive now”, or clew archive run'],
  ['off', 'Off: nothing is archived any more'],
]

function Setting({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <section className="setting" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p>{note}</p>
      </div>
      <div className="setting-value">{children}</div>
    </section>
  )
}

interface RadiosProps {
  name: string
  value: string
  choices: readonly [value: string, label: string][]
  change(value: string): Promise<void>
}

/** Shows what was chosen while that is on its way. */
function Radios({ name, value, choices, change }: RadiosProps) {
  const [picked, setPicked] = useState<string>()
  const pick = (choice: string) => {
    setPicked(choice)
    void change(choice).finally(() => setPicked(undefined))
  }
  return choices.map(([choice, label]) => (
    <label key={choice} className="settings-radio">
      <input type="radio" name={name} checked={(picked ?? value) === choice} onChange={() => pick(choice)} />
      {label}
    </label>
  ))
}

function TimezonePick({ settings, change }: { settings: SettingsAnswer; change: Change }) {
  const { timezone = '', machineTimezone } = settings
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')]
  const known = timezone === '' || zones.includes(timezone) ? zones : [timezone, ...zones]
  return (
    <select
      className="pick"
      aria-label="Time zone"
      value={timezone}
      onChange={event => change('timezone', event.target.value)}
    >
      <option value="">This machine’s, {machineTimezone}</option>
      {known.map(zone => (
        <option key={zone}>{zone}</option>
      ))}
    </select>
  )
}

function Excluded({ settings: { exclude }, change }: { settings: SettingsAnswer; change: Change }) {
  const list = useAsync(signal => ask('GET /api/sessions', { limit: '1' }, { signal }), [])
  const others = (list.value?.projects ?? []).flatMap(({ cwd }) => cwd ?? [])
  const write = (paths: readonly string[]) => change('exclude', paths.join('\n'))
  const place = useRef<HTMLDivElement>(null)
  const remove = async (path: string) => {
    await write(exclude.filter(one => one !== path))
    focusNth(place.current, 'select', 0)
  }
  return (
    <div className="setting-value" ref={place}>
      <ul className="settings-paths">
        {exclude.map(path => (
          <li key={path}>
            <code>{path}</code>
            <button type="button" className="button plain" onClick={() => remove(path)}>
              Remove<span className="unseen"> {path}</span>
            </button>
          </li>
        ))}
      </ul>
      <select
        className="pick"
        aria-label="Exclude a project"
        value=""
        onChange={event => write([...exclude, event.target.value])}
      >
        <option value="">{exclude.length === 0 ? 'None. Exclude a project…' : 'Exclude another project…'}</option>
        {others
          .filter(project => !exclude.includes(project))
          .map(project => (
            <option key={project}>{project}</option>
          ))}
      </select>
    </div>
  )
}
