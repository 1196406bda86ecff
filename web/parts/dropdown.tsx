// A button with a panel below it, and whether the window is too narrow for more than that.

import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface DropdownProps {
  label: string
  icon?: IconName
  isPressed?: boolean
  children: ReactNode
}

/** A button, and what it opens below itself until the reader goes elsewhere. */
export function Dropdown({ label, icon, isPressed = false, children }: DropdownProps) {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event) => {
      if (!(event.target instanceof Node) || !place.current?.contains(event.target)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
      place.current?.querySelector('button')?.focus()
    }
    const holder = place.current
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    holder?.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
      holder?.removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  return (
    <div className="dropdown" ref={place}>
      <button
        type="button"
        className={icon ? 'tool-button' : 'chip'}
        aria-expanded={isOpen}
        aria-controls={id}
        {...(isPressed ? { 'aria-pressed': true } : {})}
        onClick={() => setOpen(!isOpen)}
      >
        {icon ? <Icon name={icon} /> : null} <span>{label}</span>
      </button>
      <div className="dropdown-panel" id={id} hidden={!isOpen}>
        {isOpen ? children : null}
      </div>
    </div>
  )
}

const narrow = '(max-width: 640px)'

/** Whether the window is a phone's. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    listener => {
      const media = window.matchMedia(narrow)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(narrow).matches,
  )
}
