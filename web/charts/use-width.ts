// How wide a part is on screen, so that a chart is drawn in its own points and its text is never stretched.

import { type RefObject, useLayoutEffect, useState } from 'react'

export function useWidth(place: RefObject<HTMLElement | null>, first = 600): number {
  const [width, setWidth] = useState(first)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    setWidth(Math.max(120, Math.round(element.clientWidth)))
    const observer = new ResizeObserver(entries => {
      const entry = entries.at(-1)
      if (entry) setWidth(Math.max(120, Math.round(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return width
}
