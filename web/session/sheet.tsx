// A sheet over the right side of the window, which leaves the transcript usable. Esc closes it, and the focus goes back to
// where it was.

import { type ReactNode, useEffect, useRef } from 'react'
import { useKeys } from '../keys.ts'
import { Icon } from '../parts/icon.tsx'

export interface SheetProps {
  title: string
  onClose(): void
  children: ReactNode
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const sheet = useRef<HTMLElement>(null)
  useKeys({ Esc: ['close', onClose] }, title)
  useEffect(() => {
    const before = document.activeElement
    sheet.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <section className="sheet no-print" ref={sheet} tabIndex={-1} role="dialog" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="tool-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="sheet-body">{children}</div>
    </section>
  )
}
