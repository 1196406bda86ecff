// The menu of the transcript: everything open or closed, thinking, long lines, the session as a document, its repair.

import { Dropdown } from '../parts/dropdown.tsx'
import { setPreference, usePreferences } from './preferences.ts'
import type { OpenItems } from './state.ts'

export interface ViewMenuProps {
  open: OpenItems
  /** Saves the session as a document. */
  onSave(format: 'html' | 'md'): void
  /** Absent where the session is a file in this page. */
  onRepair: (() => void) | undefined
}

export function ViewMenu({ open, onSave, onRepair }: ViewMenuProps) {
  const { thinking, wrap } = usePreferences()
  return (
    <Dropdown label="View" icon="view">
      <fieldset className="tool-list">
        <legend className="unseen">View</legend>
        <label>
          <input type="checkbox" checked={thinking} onChange={() => setPreference('thinking', !thinking)} />
          <span>Thinking</span>
          <kbd>t</kbd>
        </label>
        <label>
          <input type="checkbox" checked={wrap} onChange={() => setPreference('wrap', !wrap)} />
          <span>Wrap long lines</span>
          <kbd>w</kbd>
        </label>
        <button type="button" onClick={() => open.setAll(true)}>
          <span>Open everything</span>
          <kbd>O</kbd>
        </button>
        <button type="button" onClick={() => open.setAll(false)}>
          <span>Close everything</span>
          <kbd>C</kbd>
        </button>
        <button type="button" onClick={() => onSave('html')}>
          <span>Download as HTML</span>
        </button>
        <button type="button" onClick={() => onSave('md')}>
          <span>Download as Markdown</span>
        </button>
        {onRepair === undefined ? null : (
          <button type="button" onClick={onRepair}>
            <span>Repair…</span>
          </button>
        )}
      </fieldset>
    </Dropdown>
  )
}
