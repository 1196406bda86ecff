// How the app looks: light, dark, or as the system does. The colours are in tokens.css, under a query for dark; a theme
// decides what that query answers. Nothing is stored here.

import type { Theme } from '../src/server/api/api.ts'

const darkQuery = '(prefers-color-scheme: dark)'
let theme: Theme = 'system'
const listeners = new Set<() => void>()
/** Rules for dark, and what they are for as they are written. */
const known = new Map<CSSMediaRule, string>()

export function isDark(): boolean {
  return theme === 'system' ? window.matchMedia(darkQuery).matches : theme === 'dark'
}

export function applyTheme(chosen: Theme): void {
  theme = chosen
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen
  for (const [rule, written] of darkRules()) {
    rule.media.mediaText = chosen === 'system' ? written : chosen === 'dark' ? 'screen' : 'not all'
  }
  for (const listener of [...listeners]) listener()
}

function darkRules(): ReadonlyMap<CSSMediaRule, string> {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      const isFor = rule instanceof CSSMediaRule && !known.has(rule) && rule.media.mediaText.includes(darkQuery)
      if (isFor) known.set(rule, rule.media.mediaText)
    }
  }
  return known
}

/** Calls `listener` when colours change, by choice or by the system. */
export function onThemeChange(listener: () => void): () => void {
  const media = window.matchMedia(darkQuery)
  listeners.add(listener)
  media.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    media.removeEventListener('change', listener)
  }
}
