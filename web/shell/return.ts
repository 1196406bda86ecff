// Coming back to a list finds it as it was left: scrolled to the same place, the focus on the link that was followed.

import { type RefObject, useLayoutEffect } from 'react'
import { cameBack } from '../route.ts'

interface Left {
  top: number
  href: string | null
}

const places = new Map<string, Left>()
const mostTries = 20

/** `name`: of the list, one for the window. */
export function useReturn(scroller: RefObject<HTMLElement | null>, name: string): void {
  useLayoutEffect(() => {
    const outer = scroller.current
    if (!outer) return
    const left = places.get(name)
    if (left && cameBack()) comeBack(outer, left, mostTries)
    const remember = () => {
      const held = outer.contains(document.activeElement) ? document.activeElement : null
      places.set(name, { top: outer.scrollTop, href: held?.getAttribute('href') ?? null })
    }
    outer.addEventListener('scroll', remember, { passive: true })
    outer.addEventListener('focusin', remember)
    return () => {
      outer.removeEventListener('scroll', remember)
      outer.removeEventListener('focusin', remember)
    }
  }, [scroller, name])
}

/** What the list shows may take a moment to be there again. */
function comeBack(outer: HTMLElement, left: Left, tries: number): void {
  outer.scrollTop = left.top
  const links = [...outer.querySelectorAll<HTMLElement>('a[href]')]
  const link = left.href === null ? undefined : links.find(one => one.getAttribute('href') === left.href)
  link?.focus({ preventScroll: true })
  const isThere = Math.abs(outer.scrollTop - left.top) < 2 && (left.href === null || link !== undefined)
  if (!isThere && tries > 0 && outer.isConnected) requestAnimationFrame(() => comeBack(outer, left, tries - 1))
}
