// Where the bar has no room for words: all ways to other screens behind one button. The browser opens and closes it, gives
// it Esc and puts the focus back.

import { type KeyboardEvent, useId, useRef } from 'react'
import { Link, type Screen } from '../route.ts'
import { chooseFile } from './drop.tsx'
import { toggleHelp } from './help.tsx'
import { MenuIcon } from './icons.tsx'

const places: [Screen, string, string][] = [
  ['home', 'All sessions', 'g h'],
  ['search', 'Search', '/'],
  ['usage', 'Usage', 'g u'],
  ['keeping', 'Keeping', 'g k'],
]

export function Menu() {
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const close = () => panel.current?.hidePopover()
  const act = (action: () => void) => () => {
    close()
    action()
  }
  // Esc closes this and nothing below it.
  const hold = (event: KeyboardEvent) => {
    if (event.key === 'Escape') event.stopPropagation()
  }
  return (
    <div className="menu">
      <button type="button" className="menu-button" popoverTarget={id} aria-label="Menu" onKeyDown={hold}>
        <MenuIcon />
      </button>
      <nav className="menu-panel" ref={panel} id={id} popover="auto" aria-label="Menu" onKeyDown={hold}>
        {places.map(([screen, label, keys]) => (
          <Link key={screen} route={{ screen, query: {} }} aria-label={label} onClick={close}>
            {label} <kbd>{keys}</kbd>
          </Link>
        ))}
        <button type="button" onClick={act(chooseFile)}>
          Open a session file…
        </button>
        <button type="button" aria-label="Help" onClick={act(() => toggleHelp(true))}>
          Help <kbd>?</kbd>
        </button>
      </nav>
    </div>
  )
}
