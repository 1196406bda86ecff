// A small panel that opens from a button and closes by choice, Escape or a press elsewhere; the focus goes back to the
// button. What is in it is its owner's.

import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

export interface PopoverProps {
  /** On the button. */
  label: ReactNode
  /** Of the panel, for those who do not see it. */
  name: string
  buttonClass: string
  className: string
  children: ReactNode
}

/** Links and buttons in it close it. */
export function Popover({ label, name, buttonClass, className, children }: PopoverProps) {
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  // Esc closes this and nothing below it.
  const hold = (event: KeyboardEvent) => {
    if (event.key === 'Escape') event.stopPropagation()
  }
  const place = () => {
    if (panel.current && button.current) placeBelow(panel.current, button.current)
  }
  return (
    <>
      <button ref={button} type="button" className={buttonClass} popoverTarget={id} onClick={place} onKeyDown={hold}>
        {label}
      </button>
      <nav
        ref={panel}
        id={id}
        className={className}
        popover="auto"
        aria-label={name}
        onKeyDown={hold}
        onClick={event => {
          if (event.target instanceof Element && event.target.closest('a, button')) panel.current?.hidePopover()
        }}
      >
        {children}
      </nav>
    </>
  )
}

const gap = 6
const edge = 12

/** Within the window, whatever its width. */
function placeBelow(panel: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect()
  const width = Math.min(420, window.innerWidth - 2 * edge)
  panel.style.width = `${width}px`
  panel.style.left = `${Math.max(edge, Math.min(left, window.innerWidth - width - edge))}px`
  panel.style.top = `${bottom + gap}px`
  panel.style.maxHeight = `${Math.max(160, window.innerHeight - bottom - gap - edge)}px`
}
